"""A print partner in one file, without packages: python3 partner.py (Python 3.9 or later).

It subscribes, stores print orders, reports their progress, gets their labels, and continues after a restart.
"""
import base64
import hashlib
import hmac
import json
import os
import threading
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PRESSLINE_URL = os.environ.get("PRESSLINE_URL", "http://127.0.0.1:3000")
PRESSLINE_KEY = os.environ.get("PRESSLINE_KEY", "")
PORT = int(os.environ.get("PORT", "8080"))
PUBLIC_URL = os.environ.get("PUBLIC_URL", f"http://127.0.0.1:{PORT}")
DATA = os.environ.get("DATA", "print-orders")
PRINT_SECONDS = float(os.environ.get("PRINT_SECONDS", "5"))

ACCEPTED = (200, {"message": "Accepted."})
lock = threading.Lock()  # guards the stored print orders
orders = {}
secret = os.environ.get("SIGNING_SECRET", "")


def save(stored):
    """Replaces the file of a print order as a whole, so that a crash leaves the old or the new one."""
    path = f"{DATA}/{stored['order']['id']}.json"
    with open(f"{path}.tmp", "w") as file:
        json.dump(stored, file)
    os.replace(f"{path}.tmp", path)
    orders[stored["order"]["id"]] = stored


def ids_of(items):
    return [i for item in items for i in ([item["id"]] if "id" in item else []) + ids_of(item.get("parts", []))]


def call(path, body):
    """Calls Pressline until it responds. Repetitions are harmless."""
    headers = {"Content-Type": "application/json", "X-API-KEY": PRESSLINE_KEY}
    request = urllib.request.Request(PRESSLINE_URL + path, json.dumps(body).encode(), headers)
    pause = 1
    while True:
        retry_after = None
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                if response.status != 202:
                    return json.load(response)
                retry_after = response.headers.get("Retry-After")  # The documents of a large print order are not ready.
        except urllib.error.HTTPError as error:
            if error.code not in (408, 425, 429) and error.code < 500:
                raise RuntimeError(f"{path}: {error.code} {error.read().decode()}") from error
            retry_after = error.headers.get("Retry-After")
        except OSError:
            pass
        time.sleep(float(retry_after or pause))
        pause = min(pause * 2, 60)


def report(order_id, status):
    timestamp = datetime.now(timezone.utc).isoformat()
    call("/v2/order/status", {"orderId": order_id, "status": status, "timestamp": timestamp})


def done(stored, before, after):
    """Stores that a step is done. A restart repeats one step at most."""
    with lock:
        if stored["state"] == before:
            stored["state"] = after
            save(stored)


def produce(stored):
    order_id = stored["order"]["id"]
    if stored["state"] == "accepted":
        report(order_id, "received")
        done(stored, "accepted", "received")
    time.sleep(PRINT_SECONDS)  # Download the assets, and print.
    if stored["state"] == "received":
        report(order_id, "printed")
        done(stored, "received", "printed")
    while stored["state"] == "printed":
        revision = stored["order"].get("revision")
        documents = call("/v2/order/dispatch", {"orderId": order_id})["documents"]
        print(f"{order_id}: print {' '.join(document['url'] for document in documents)}", flush=True)
        with lock:  # An update that came meanwhile has a new label.
            if stored["state"] == "printed" and revision == stored["order"].get("revision"):
                stored["state"] = "packed"  # From here on, changes come too late.
                save(stored)
    if stored["state"] == "packed":
        report(order_id, "shipped")
        done(stored, "packed", "shipped")
    print(f"{order_id}: {stored['state']}", flush=True)


def verify(headers, body):
    """Returns True when a message is from Pressline."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(entry.encode(), expected) for entry in headers.get("webhook-signature", "").split(" "))


def receive(path, text):
    message = json.loads(text)
    if path == "/inventory":
        level = {"status": "in-stock", "amount": 100, "replenishmentDate": ""}
        return 200, {"items": [{"SKU": sku, **level} for sku in message["SKU"]]}
    if message.get("type") == "ping":
        return ACCEPTED
    order_id = message.get("orderId") or message.get("id")
    if order_id is None:
        return 400, {"error": "The message has no id."}
    known = orders.get(order_id)
    if path in ("/cancellations", "/order-updates"):
        if known is None:
            return 404, {"error": "There is no such print order."}
        if path == "/order-updates" and known["order"].get("revision", 1) >= message["revision"]:
            return ACCEPTED
        if known["state"] in ("packed", "shipped"):
            return 409, {"error": "The parcel has left."}
        if path == "/order-updates":
            known["order"] = message
        else:
            known["cancelled"] = sorted({*known["cancelled"], *message["canceledPrintJobIdList"]})
            if set(ids_of(known["order"]["items"])) <= set(known["cancelled"]):
                known["state"] = "cancelled"
        save(known)
        return ACCEPTED
    if known is not None:
        return ACCEPTED if known["body"] == text else (409, {"error": "This id has another content."})
    stored = {"body": text, "order": message, "cancelled": [], "state": "accepted"}
    save(stored)
    threading.Thread(target=produce, args=[stored], daemon=True).start()
    return ACCEPTED


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        status, answer = 401, {"error": "The signature is not valid."}
        if verify({name.lower(): value for name, value in self.headers.items()}, body):
            with lock:
                status, answer = receive(self.path, body.decode())
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def main():
    global secret
    os.makedirs(DATA, exist_ok=True)
    for name in os.listdir(DATA):
        if name.endswith(".json"):
            with open(f"{DATA}/{name}") as file:
                orders[name[: -len(".json")]] = json.load(file)
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
    threading.Thread(target=server.serve_forever).start()
    paths = {"orderSubmitUrl": "orders", "orderCancelUrl": "cancellations", "orderUpdateUrl": "order-updates",
             "inventoryUrl": "inventory"}
    print(f"Listening at {PUBLIC_URL}", flush=True)
    if not secret:
        secret = call("/v2/subscribe", {name: f"{PUBLIC_URL}/{path}" for name, path in paths.items()})["signingSecret"]
        print("Subscribed.", flush=True)
    for stored in list(orders.values()):
        if stored["state"] not in ("shipped", "cancelled"):
            threading.Thread(target=produce, args=[stored], daemon=True).start()


if __name__ == "__main__":
    main()
