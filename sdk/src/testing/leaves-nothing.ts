import { sleep } from '@amodal/kernel'
import process from 'node:process'

/**
 * Runs `work` and fails if it left anything open that keeps the process alive: a socket, a server,
 * a timer, a child.
 *
 * @param options.settleMs how long things may take to close by themselves
 * @throws with the kinds and numbers of what was left
 * @example
 * await leavesNothing(async () => {
 *   const kernel = unwrap(await Kernel.create(entries), explain)
 *   await kernel.close()
 * })
 */
export async function leavesNothing(
  work: () => Promise<unknown>,
  { settleMs = 2_000 }: { readonly settleMs?: number } = {},
): Promise<void> {
  const before = openResources()
  await work()
  const end = performance.now() + settleMs
  for (
    let open = added(before, openResources());
    open.length > 0;
    open = added(before, openResources())
  ) {
    if (performance.now() > end) throw new Error(`left open: ${open.join(', ')}`)
    await sleep(20)
  }
}

/** What keeps the process alive now, by kind. */
export function openResources(): ReadonlyMap<string, number> {
  const kinds = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  return kinds
}

/** What there is more of than before: `2 × TCPSocketWrap`. */
export function added(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): readonly string[] {
  return [...after]
    .map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)] as const)
    .filter(([, more]) => more > 0)
    .map(([kind, more]) => `${more} × ${kind}`)
}
