"""Connects the first die that a dice server finds, prints its rolls, and lights it: green for a 6, else red.

    pip install websockets        # on Debian: sudo apt install python3-websockets
    python3 rolls.py http://localhost:3000
"""

import asyncio
import json
import sys
import urllib.request

import websockets

SERVER = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:3000"


def ask(method, path, body=None):
    """What the server answers. An urllib.error.HTTPError has a JSON body with message and code."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVER + path, data, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


async def main():
    dice = ask("POST", "/api/scan")
    if not dice:
        sys.exit("no die was found: wake one by moving it")
    session = ask("POST", "/api/connect", {"address": dice[0]["address"]})["session_id"]
    print(f"{dice[0]['name']} is connected", flush=True)

    position = ask("GET", "/health")
    while True:
        # The position makes the server send what was missed while there was no connection.
        query = f"session_id={session}&since={position['seq']}&instance={position['instance']}"
        try:
            async with websockets.connect(f"{SERVER.replace('http', 'ws', 1)}/ws?{query}") as events:
                async for message in events:
                    position = event = json.loads(message)
                    if event["kind"] == "Stable":
                        print(f"rolled {event['face']}", flush=True)
                        color = "00FF00" if event["face"] == 6 else "FF0000"
                        ask("POST", "/api/led", {"session_id": session, "led1": color, "led2": color})
        except (OSError, websockets.WebSocketException) as error:
            print(f"connecting again: {error}", file=sys.stderr)
        await asyncio.sleep(1)


try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
