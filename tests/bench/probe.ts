/**
 * Lets the process that started a server look into it over the channel between the two: how much
 * memory it holds, where its processor time goes. It works for every server alike and adds nothing
 * to its HTTP surface.
 */

import { writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Memory {
  /** Bytes of live JavaScript objects, after a collection. */
  readonly heapUsed: number
  /** Bytes of buffers and other memory tied to such objects. */
  readonly external: number
  /** Bytes of the whole process in RAM. */
  readonly rss: number
}

export type Probe =
  | { readonly ask: 'memory' }
  /** How many requests the server has taken so far; only the model server knows. */
  | { readonly ask: 'requests' }
  | { readonly ask: 'profile-start' }
  /** Ends the profile and writes it to `file` in the format of Chrome's tools. */
  | { readonly ask: 'profile-end'; readonly file: string }

/**
 * Answers probes until the process ends, and ends the process when the bench is gone.
 *
 * @param requests counts the requests taken so far
 */
export function answerProbes(requests: () => number = () => 0): void {
  const profiler = new Session()
  const answer = async (probe: Probe): Promise<unknown> => {
    switch (probe.ask) {
      case 'memory':
        return collectedMemory()
      case 'requests':
        return requests()
      case 'profile-start':
        profiler.connect()
        await profiler.post('Profiler.enable')
        await profiler.post('Profiler.start')
        return null
      case 'profile-end': {
        const { profile } = await profiler.post('Profiler.stop')
        profiler.disconnect()
        await writeFile(probe.file, JSON.stringify(profile))
        return null
      }
      default:
        return probe satisfies never
    }
  }
  process.on('message', (probe: Probe) => {
    void answer(probe).then((value) => process.send?.({ value }))
  })
  process.channel?.unref()
  process.once('disconnect', () => process.exit())
}

/**
 * Says on standard output that the server listens: the line every floor is waited for by. From then
 * on SIGTERM ends it by its own hand: only so does Node keep what it has compiled.
 */
export function announce(port: number): void {
  process.once('SIGTERM', () => process.exit())
  process.stdout.write(`ready ${port}\n`)
}

/**
 * Asked for here and not on the command line: what was compiled under other options counts as not
 * compiled.
 */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/** Collects several times: what one collection finalises, the next one frees. */
async function collectedMemory(): Promise<Memory> {
  const collect = collector()
  for (let round = 0; round < 5; round += 1) {
    collect()
    await sleep(50)
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heapUsed, external, rss }
}
