"""What several tests of kernels need."""

import pytest

from lomtree.jit import announcement, cache, callee


@pytest.fixture(scope="session", autouse=True)
def _no_kernel_falls_back():
    """A kernel that can only be compiled plainly makes every run slow; nobody may write one."""
    yield
    assert callee.why_plain() == ""


@pytest.fixture
def kept(monkeypatch) -> dict:
    """What kernels keep, instead of files."""
    store: dict = {}
    monkeypatch.setattr(cache, "keep", store.__setitem__)
    monkeypatch.setattr(cache, "find", store.get)
    return store


@pytest.fixture
def announced():
    announcement.announce_compilation()
    yield
    announcement._unsaid.clear()


@pytest.fixture
def may_fall_back(monkeypatch):
    """Whatever way kernels are called when the test ends, it is native again."""
    monkeypatch.setattr(callee, "_why_plain", "")
