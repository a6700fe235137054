# Loaded before a Python program: connections to the platform's names go to the server on this machine, and aiohttp takes the
# proxy of the environment. Written for `rostra exec`, which fills in the values. Errors here never stop the program.
import sys


def _rostra():
    import socket

    names = frozenset("@NAMES@".split(","))
    marked = "127.77.0.1"
    ports = {443: int("@TLS_PORT@"), 80: int("@PLAIN_PORT@")}
    getaddrinfo = socket.getaddrinfo

    def is_ours(host):
        if isinstance(host, (bytes, bytearray)):
            host = bytes(host).decode("ascii", "replace")
        return isinstance(host, str) and host.lower().rstrip(".") in names

    # In two steps: some libraries look a name up without the port.
    def look_up(host, port, family=0, type=0, proto=0, flags=0):
        if is_ours(host) and family in (0, socket.AF_INET, socket.AF_INET6):
            return getaddrinfo(marked, port, socket.AF_INET, type, proto, flags & ~socket.AI_CANONNAME)
        return getaddrinfo(host, port, family, type, proto, flags)

    def redirected(address):
        if isinstance(address, tuple) and len(address) >= 2:
            if (address[0] == marked or is_ours(address[0])) and address[1] in ports:
                return ("127.0.0.1", ports[address[1]])
        return address

    socket.getaddrinfo = look_up
    # Methods of the class itself, so sockets that others derive from it follow too.
    for method in ("connect", "connect_ex"):
        plain = getattr(socket.socket, method)

        def wrapped(self, address, plain=plain):
            return plain(self, redirected(address))

        setattr(socket.socket, method, wrapped)


def _rostra_aiohttp():
    import importlib.abc
    import importlib.machinery

    class Loader(importlib.abc.Loader):
        def __init__(self, loader):
            self.loader = loader

        def create_module(self, spec):
            return self.loader.create_module(spec)

        def exec_module(self, module):
            self.loader.exec_module(module)
            try:
                session = module.ClientSession
                begin = session.__init__

                def begin_trusting(self, *args, **options):
                    options.setdefault("trust_env", True)
                    return begin(self, *args, **options)

                session.__init__ = begin_trusting
            except Exception:
                pass

    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path, target=None):
            if name != "aiohttp.client":
                return None
            spec = importlib.machinery.PathFinder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = Loader(spec.loader)
            return spec

    sys.meta_path.insert(0, Finder())


def _rostra_hidden():
    # The sitecustomize of the environment, which this file hides.
    import importlib.machinery
    import importlib.util
    import os

    own = os.path.dirname(os.path.abspath(__file__))
    elsewhere = [entry for entry in sys.path if os.path.abspath(entry or ".") != own]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


for _part in (_rostra, _rostra_aiohttp, _rostra_hidden):
    try:
        _part()
    except Exception:
        pass
