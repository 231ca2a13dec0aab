"""Work shared between the threads of BLAS, and products that are not."""

import os
import signal
import threading
import time

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from ensvm.kernels.threads import blas_threads, each, one_blas_thread


def test_the_limit_of_one_ends_with_the_last_who_asked_for_it() -> None:
    with threadpool_limits(3):
        outer = blas_threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert {p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"} == {1}
        assert blas_threads() == outer  # of work that is shared in another way
        second.__exit__(None, None, None)
        assert blas_threads() == outer


def test_pieces_run_on_as_many_threads_as_blas_may_use() -> None:
    with threadpool_limits(2):
        if blas_threads() < 2:
            pytest.skip("BLAS has one thread here")
        meeting = threading.Barrier(2, timeout=30.0)  # broken unless two run at once
        each(lambda piece: meeting.wait() and None, [0, 1])


def test_one_thread_runs_them_in_order_and_here() -> None:
    ran: list[tuple[int, int]] = []
    with threadpool_limits(1):
        each(lambda piece: ran.append((piece, threading.get_ident())), [3, 1, 2])
    assert ran == [(piece, threading.get_ident()) for piece in (3, 1, 2)]


def test_what_a_piece_raises_comes_out_and_the_limit_is_restored() -> None:
    def fail(piece: int) -> None:
        raise ZeroDivisionError(piece)

    with threadpool_limits(2):
        before = blas_threads()
        with pytest.raises(ZeroDivisionError):
            each(fail, [0, 1, 2])
        assert blas_threads() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    with threadpool_limits(2):
        each(lambda piece: None, [0, 1, 2])
        child = os.fork()
        if child == 0:
            done: list[int] = []
            each(done.append, [0, 1, 2])
            os._exit(sum(done) != 3)
        for _ in range(600):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                break
            time.sleep(0.05)
        else:
            os.kill(child, signal.SIGKILL)
            pytest.fail("the forked process waits for threads that it has not")
    assert os.waitstatus_to_exitcode(status) == 0
