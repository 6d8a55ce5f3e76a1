import { setTimeout as sleep } from 'node:timers/promises'
import type { Postgres } from '../support/postgres.ts'
import type { Fault, Schedule } from './disturbances.ts'
import type { Recorder } from './history.ts'
import type { Home } from './home.ts'

/** ms that a server may take to finish what runs. */
export const DRAIN_MS = 25_000

interface Hand {
  readonly home: Home
  readonly postgres: Postgres | undefined
  readonly recorder: Recorder
  readonly signal: AbortSignal
}

/**
 * Does to the servers what the schedule says, each line beside the others, until it is told to
 * stop. Everything is healed in the end.
 */
export async function disturb(schedule: Schedule, hand: Hand): Promise<void> {
  await Promise.all(
    Object.values(schedule).map(async (line) => {
      for (const { after, fault } of line) {
        await pause(after, hand)
        if (hand.signal.aborted) return
        hand.recorder.add({ kind: 'fault', fault })
        await inflict(fault, hand)
      }
    }),
  )
}

async function inflict(fault: Fault, hand: Hand): Promise<void> {
  const { home } = hand
  switch (fault.do) {
    case 'kill': {
      await home.server(fault.server).kill()
      await pause(fault.ms, hand)
      return up(fault.server, hand)
    }
    case 'stop': {
      const server = home.server(fault.server)
      const isGone = await server.stop(DRAIN_MS)
      hand.recorder.add({
        kind: 'server',
        server: fault.server,
        is: 'gone',
        ...(isGone ? {} : { why: `${STUCK}:\n${server.said.slice(-2_000)}` }),
      })
      await pause(fault.ms, hand)
      return up(fault.server, hand)
    }
    case 'freeze': {
      const server = home.server(fault.server)
      server.freeze()
      await pause(fault.ms, hand)
      return server.thaw()
    }
    case 'part': {
      const cable = await home.cable(fault.server)
      cable.pass(fault.passage)
      await pause(fault.ms, hand)
      return cable.pass('open')
    }
    case 'jump': {
      const server = home.server(fault.server)
      server.jump(fault.wallMs, fault.monotonicMs)
      await pause(fault.ms, hand)
      return server.jump(0, 0)
    }
    case 'lose': {
      const server = home.server(fault.server)
      server.lose(fault.when, fault.times)
      await pause(fault.ms, hand)
      return server.lose(fault.when, 0)
    }
    case 'restart database':
      return hand.postgres?.restart()
    default:
      return fault satisfies never
  }
}

/** What is said of a server that did not go when it was asked to. */
export const STUCK = `it did not end within ${DRAIN_MS} ms of a SIGTERM`

/**
 * A start fails where the database is away just then, as it does for whoever starts servers in
 * earnest: they try again.
 */
export async function up(
  name: string,
  { home, recorder }: Pick<Hand, 'home' | 'recorder'>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await home.start(name)
      recorder.add({ kind: 'server', server: name, is: 'up' })
      return
    } catch (cause) {
      recorder.add({ kind: 'server', server: name, is: 'not up', why: String(cause).slice(0, 500) })
      if (tries >= 20) throw cause
      await sleep(500)
    }
  }
}

const pause = async (ms: number, { signal }: Pick<Hand, 'signal'>): Promise<void> =>
  void (await sleep(ms, undefined, { signal }).catch(() => undefined))
