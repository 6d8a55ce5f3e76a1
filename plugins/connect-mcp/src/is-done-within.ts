import { atMost } from '@amodal/sdk'

/** Whether something is over within `ms`. Its failure counts as its end. */
export async function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = work.then(
    () => true,
    () => true,
  )
  return (await atMost(ms, over)) ?? false
}
