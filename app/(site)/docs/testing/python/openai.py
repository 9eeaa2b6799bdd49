"""Replaces the openai package where it is not installed: what the examples use of it, with the same HTTP requests."""

import json
import urllib.error
import urllib.request


class _Model:
    """Fields of a JSON object; missing fields are None, as in the package's own models."""

    def __init__(self, fields):
        for name, value in fields.items():
            setattr(self, name, _wrap(value))

    def __getattr__(self, name):
        return None

    def __repr__(self):
        return repr(vars(self))


def _wrap(value):
    if isinstance(value, dict):
        return _Model(value)
    return [_wrap(item) for item in value] if isinstance(value, list) else value


class APIStatusError(Exception):
    def __init__(self, status_code, error):
        super().__init__(error["message"])
        self.status_code, self.code, self.message = status_code, error["code"], error["message"]


class OpenAI:
    def __init__(self, base_url, api_key):
        self._base_url, self._api_key = base_url, api_key
        self.chat = self.completions = self

    def create(self, extra_headers=None, stream=False, **fields):
        headers = {"Authorization": f"Bearer {self._api_key}", "Content-Type": "application/json", **(extra_headers or {})}
        body = json.dumps({**fields, "stream": stream}).encode()
        request = urllib.request.Request(f"{self._base_url}/chat/completions", body, headers)
        try:
            response = urllib.request.urlopen(request, timeout=20)
        except urllib.error.HTTPError as error:
            raise APIStatusError(error.code, json.load(error)["error"]) from error
        return self._chunks(response) if stream else _Model(json.load(response))

    def _chunks(self, response):
        for line in response:
            data = line.decode().removeprefix("data: ").strip()
            if data == "[DONE]":
                return
            if data:
                yield _Model(json.loads(data))
