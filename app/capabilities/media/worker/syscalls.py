"""System calls that a locked worker may not make, with their numbers (Linux 6.12: ``asm/unistd_64.h`` of x86_64,
``asm-generic/unistd.h`` of aarch64; ``-``: the machine has no such call)."""

from __future__ import annotations

from typing import Final

_DENIED: Final = {
    "network": """
        socket 41 198, socketpair 53 199, connect 42 203, bind 49 200, listen 50 201, accept 43 202, accept4 288 242,
        sendto 44 206, sendmsg 46 211, sendmmsg 307 269, recvfrom 45 207, recvmsg 47 212, recvmmsg 299 243""",
    "open": """
        open 2 -, openat 257 56, openat2 437 437, creat 85 -, name_to_handle_at 303 264, open_by_handle_at 304 265,
        memfd_create 319 279, memfd_secret 447 447""",
    "processes": "execve 59 221, execveat 322 281, fork 57 -, vfork 58 -, clone 56 220, clone3 435 435",
    "other processes": """
        ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440,
        process_mrelease 448 448, kcmp 312 272, pidfd_open 434 434, pidfd_getfd 438 438, pidfd_send_signal 424 424,
        kill 62 129, tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240,
        prlimit64 302 261, setrlimit 160 164, setpriority 141 140, ioprio_set 251 30, sched_setscheduler 144 119,
        sched_setparam 142 118, sched_setattr 314 274, sched_setaffinity 203 122, migrate_pages 256 238,
        move_pages 279 239""",
    "shared memory and queues": """
        shmget 29 194, shmat 30 196, shmctl 31 195, msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187,
        semget 64 190, semop 65 193, semtimedop 220 192, semctl 66 191, mq_open 240 180, mq_unlink 241 181""",
    "files": """
        truncate 76 45, ftruncate 77 46, fallocate 285 47, unlink 87 -, unlinkat 263 35, rmdir 84 -, mkdir 83 -,
        mkdirat 258 34, mknod 133 -, mknodat 259 33, rename 82 -, renameat 264 38, renameat2 316 276, link 86 -,
        linkat 265 37, symlink 88 -, symlinkat 266 36, chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452,
        chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54, utime 132 -, utimes 235 -, utimensat 280 88,
        futimesat 261 -, setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, removexattr 197 14, lremovexattr 198 15,
        fremovexattr 199 16, copy_file_range 326 285, sendfile 40 71, splice 275 76, chdir 80 49, fchdir 81 50""",
    "mounts": """
        mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, fsopen 430 430, fsconfig 431 431,
        fsmount 432 432, fspick 433 433, open_tree 428 428, move_mount 429 429, mount_setattr 442 442, unshare 272 97,
        setns 308 268, swapon 167 224, swapoff 168 225, quotactl 179 60, fanotify_init 300 262""",
    "users": """
        setuid 105 146, setgid 106 144, setreuid 113 145, setregid 114 143, setresuid 117 147, setresgid 119 149,
        setfsuid 122 151, setfsgid 123 152, setgroups 116 159, capset 126 91""",
    "kernel": """
        bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, io_uring_setup 425 425, io_uring_enter 426 426,
        io_uring_register 427 427, add_key 248 217, request_key 249 218, keyctl 250 219, init_module 175 105,
        finit_module 313 273, delete_module 176 106, kexec_load 246 104, kexec_file_load 320 294, reboot 169 142,
        settimeofday 164 170, clock_settime 227 112, clock_adjtime 305 266, adjtimex 159 171, sethostname 170 161,
        setdomainname 171 162, acct 163 89, syslog 103 116""",
}


def denied_calls(machine: str) -> dict[str, int]:
    """Numbers of the denied calls by name on ``x86_64`` or ``aarch64``."""
    column = ("x86_64", "aarch64").index(machine) + 1
    rows = [row.split() for group in _DENIED.values() for row in group.split(",")]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}
