"""Replaces the openai package, which need not be installed: the same HTTP requests for the same arguments."""

import requests


class OpenAI:
    def __init__(self, base_url, api_key):
        self._base_url, self._api_key = base_url, api_key
        self.chat = self
        self.completions = _Endpoint(self, "/chat/completions")
        self.responses = _Endpoint(self, "/responses")


class _Endpoint:
    def __init__(self, client, path):
        self._client, self._path = client, path

    def create(self, **fields):
        headers = {"Authorization": f"Bearer {self._client._api_key}"}
        requests.post(self._client._base_url + self._path, json=fields, headers=headers, timeout=20)
