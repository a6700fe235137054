"""Run by `rostra exec`: Python clients as they come from their registry. Prints one line of JSON."""
import asyncio
import http.client
import json
import os
import ssl
import sys
import tempfile
import threading
import time
import urllib.request
import zlib

USER = "/2/users/by/username/alice"
BEARER = os.environ["BEARER_TOKEN"]
HEADERS = {"Authorization": f"Bearer {BEARER}"}
found = {}


def attempt(name):
    def run(work):
        try:
            result = work()
            found[name] = asyncio.run(result) if asyncio.iscoroutine(result) else result
        except ModuleNotFoundError as error:
            found[name] = f"absent: {error.name}"
        except BaseException as error:
            found[name] = f"{type(error).__name__}: {error}"

    return run


@attempt("urllib")
def _():
    request = urllib.request.Request("https://api.twitter.com" + USER, headers=HEADERS)
    return json.load(urllib.request.urlopen(request))["data"]["username"]


@attempt("http.client")
def _():
    connection = http.client.HTTPSConnection("api.x.com", context=ssl.create_default_context())
    connection.request("GET", USER, headers=HEADERS)
    return json.load(connection.getresponse())["data"]["username"]


@attempt("requests")
def _():
    import requests

    return requests.get("https://api.x.com" + USER, headers=HEADERS).json()["data"]["username"]


@attempt("httpx")
def _():
    import httpx

    return httpx.get("https://api.x.com" + USER, headers=HEADERS).json()["data"]["username"]


@attempt("httpx async")
async def _():
    import httpx

    async with httpx.AsyncClient() as client:
        return (await client.get("https://api.x.com" + USER, headers=HEADERS)).json()["data"]["username"]


@attempt("aiohttp")
async def _():
    import aiohttp

    async with aiohttp.ClientSession() as session:
        async with session.get("https://api.x.com" + USER, headers=HEADERS) as answer:
            return (await answer.json())["data"]["username"]


def keys():
    return [
        os.environ[f"TWITTER_{name}"]
        for name in ("CONSUMER_KEY", "CONSUMER_SECRET", "ACCESS_TOKEN", "ACCESS_TOKEN_SECRET")
    ]


def client():
    import tweepy

    return tweepy.Client(BEARER, *keys())


@attempt("tweepy")
def _():
    made = client().create_tweet(text="A heron, said by tweepy")
    assert client().get_tweet(made.data["id"]).data.text == "A heron, said by tweepy"
    return client().get_me().data.username


@attempt("tweepy async")
async def _():
    from tweepy.asynchronous import AsyncClient

    return (await AsyncClient(BEARER, *keys()).get_me(user_auth=True)).data.username


@attempt("tweepy streaming")
def _():
    import tweepy

    class Stream(tweepy.StreamingClient):
        text = None

        def on_connect(self):
            threading.Thread(target=lambda: client().create_tweet(text="An otter, streamed")).start()

        def on_tweet(self, tweet):
            Stream.text = tweet.text
            self.disconnect()

    stream = Stream(BEARER)
    stream.add_rules(tweepy.StreamRule("otter"))
    stream.filter()
    return Stream.text


@attempt("tweepy async streaming")
async def _():
    from tweepy.asynchronous import AsyncStreamingClient
    import tweepy

    class Stream(AsyncStreamingClient):
        text = None

        async def on_connect(self):
            threading.Thread(target=lambda: client().create_tweet(text="A badger, streamed")).start()

        async def on_tweet(self, tweet):
            Stream.text = tweet.text
            self.disconnect()

    stream = Stream(BEARER)
    await stream.add_rules(tweepy.StreamRule("badger"))
    await stream.filter()
    return Stream.text


def picture(file):
    """A grey PNG of 64 by 48 points."""

    def chunk(kind, data):
        body = kind + data
        return len(data).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")

    head = (64).to_bytes(4, "big") + (48).to_bytes(4, "big") + b"\x08\x00\x00\x00\x00"
    rows = b"".join(b"\x00" + os.urandom(64) for _ in range(48))
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    file.flush()


@attempt("tweepy media upload")
def _():
    import tweepy

    api = tweepy.API(tweepy.OAuth1UserHandler(*keys()))
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        picture(file)
        simple = api.media_upload(file.name)
        chunked = api.media_upload(file.name, chunked=True, media_category="tweet_image")
    posted = client().create_tweet(text="Two pictures", media_ids=[simple.media_id, chunked.media_id])
    read = client().get_tweet(posted.data["id"], expansions="attachments.media_keys", user_auth=True)
    return len(read.includes["media"])


print(json.dumps(found))
sys.stdout.flush()
