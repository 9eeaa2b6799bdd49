"""Replaces the anthropic package, which need not be installed: the same HTTP requests for the same arguments."""

import requests


class Anthropic:
    def __init__(self, base_url, api_key):
        self._base_url, self._api_key = base_url, api_key
        self.messages = self

    def create(self, **fields):
        requests.post(f"{self._base_url}/v1/messages", json=fields, headers={"x-api-key": self._api_key}, timeout=20)
