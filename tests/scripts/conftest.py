"""A server on this machine, which stands in for every address of the web."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Server:
    """Files over HTTP; `break_at` cuts the first responses short after so many bytes. A file that
    is a string is an address to go to instead."""

    def __init__(self, files: dict[str, bytes | str], ranges: bool = True) -> None:
        self.files, self.ranges = files, ranges
        self.break_at: list[int] = []
        self.asked: list[str | None] = []  # the ranges of all requests
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.respond(self)

            def log_message(self, *_) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._http.server_port}/"

    def respond(self, request: BaseHTTPRequestHandler) -> None:
        wanted = request.headers.get("Range")
        self.asked.append(wanted)
        content = self.files.get(request.path[1:])
        if content is None:
            request.send_error(404)
            return
        if isinstance(content, str):
            request.send_response(302)
            request.send_header("Location", content)
            request.end_headers()
            return
        begin = 0
        if wanted and self.ranges:
            begin = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if begin >= len(content):
                request.send_response(416)
                request.send_header("Content-Range", f"bytes */{len(content)}")
                request.end_headers()
                return
        request.send_response(206 if wanted and self.ranges else 200)
        request.send_header("Content-Length", str(len(content) - begin))
        request.end_headers()
        end = self.break_at.pop(0) if self.break_at else len(content)
        request.wfile.write(content[begin:end])
        request.close_connection = True

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def serve():
    servers = []

    def start(files, **settings) -> Server:
        servers.append(Server(files, **settings))
        return servers[-1]

    yield start
    for one in servers:
        one.close()
