import type { ChildProcess } from 'node:child_process';
/** Ends a process that leads a group of its own, and all that it has started in it. */
export declare function killGroup({ pid }: ChildProcess): void;
