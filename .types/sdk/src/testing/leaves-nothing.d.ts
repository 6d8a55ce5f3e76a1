/**
 * Runs `work` and fails if it left anything open that keeps the process alive: a socket, a server, a timer, a child.
 *
 * @param options.settleMs how long things may take to close by themselves
 * @throws with the kinds and numbers of what was left
 * @example
 * await leavesNothing(async () => {
 *   const kernel = unwrap(await Kernel.create(entries), explain)
 *   await kernel.close()
 * })
 */
export declare function leavesNothing(work: () => Promise<unknown>, { settleMs }?: {
    readonly settleMs?: number;
}): Promise<void>;
/** What keeps the process alive now, by kind. */
export declare function openResources(): ReadonlyMap<string, number>;
/** What there is more of than before: `2 × TCPSocketWrap`. */
export declare function added(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): readonly string[];
