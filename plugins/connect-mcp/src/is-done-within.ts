import { sleep } from '@amodal/sdk'

/** Whether something is over within `ms`. Its failure counts as its end. */
export async function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const stop = new AbortController()
  const done = await Promise.race([
    work.then(
      () => true,
      () => true,
    ),
    sleep(ms, stop.signal).then(() => false),
  ])
  stop.abort()
  return done
}
