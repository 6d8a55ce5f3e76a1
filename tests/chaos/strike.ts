import type { Point } from './control.ts'
import type { Home } from './home.ts'
import { nameOf, type Place } from './kill.ts'
import { Person, type Turn } from './person.ts'
import { firstPiece, tasksOf, type Plan } from './plan.ts'
import type { ServerProcess } from './server-process.ts'
import type { World } from './world.ts'

/** A turn that is to be where its server dies. */
export interface Victim {
  readonly plan: Plan
  readonly place: Place
  /** The session had a turn before. */
  readonly opened: boolean
}

export interface Struck extends Victim {
  readonly turn: Turn
  /** All turns of the session, in order. */
  readonly turns: readonly Turn[]
  /** Events the client had when the server died. */
  readonly seen: number
  /**
   * It was over before it came to its place: where its sub-agents and its person meet in one commit
   * is nobody's choice.
   */
  readonly missed: boolean
}

/**
 * Brings every turn to its place, each in a session of its own, and kills the server when all are
 * there. The last one is not waited for: the process kills itself there.
 *
 * @returns the turns, on their way again as soon as there is a server
 */
export async function strike(
  victims: readonly Victim[],
  server: ServerProcess,
  home: Home,
  world: World,
): Promise<readonly Struck[]> {
  const person = new Person(() => home.reach())
  const struck: {
    victim: Victim
    turn: Turn
    turns: readonly Turn[]
    goOn: () => void
    missed: boolean
  }[] = []
  for (const [index, victim] of victims.entries()) {
    const { plan, place } = victim
    const opening = victim.opened ? [person.send({ marker: `${plan.marker}o`, steps: [] })] : []
    for (const turn of opening) await turn.over
    const mayAnswer = Promise.withResolvers<void>()
    if (place.at !== 'rest') mayAnswer.resolve()
    const arrives = prepare(victim, index === victims.length - 1, server, world)
    const turn = person.send(plan, {
      mayAnswer: mayAnswer.promise,
      // A sub-agent's question is answered while others of its parent are under way.
      answersAtRest: tasksOf(plan).length === 0,
      ...(opening[0]?.session === undefined ? {} : { session: opening[0].session }),
    })
    const missed = await isOver(arrives(turn), turn)
    if (missed && tasksOf(plan).length === 0)
      throw new Error(`${plan.marker} was over before it came to its place: ${nameOf(place)}`)
    struck.push({ victim, turn, turns: [...opening, turn], goOn: mayAnswer.resolve, missed })
  }
  const seen = struck.map(({ turn }) => turn.events.length)
  await server.kill()
  for (const { goOn } of struck) goOn()
  return struck.map(({ victim, turn, turns, missed }, index) => ({
    ...victim,
    turn,
    turns,
    missed,
    seen: seen[index] ?? 0,
  }))
}

/** @returns what resolves when the turn is at its place */
function prepare(
  { plan, place }: Victim,
  last: boolean,
  server: ServerProcess,
  world: World,
): (turn: Turn) => Promise<void> {
  const { marker } = plan
  const then: Point['then'] = last ? { do: 'kill' } : { do: 'hold' }
  const armed = (point: Omit<Point, 'id' | 'then'>): (() => Promise<void>) => {
    server.arm([{ ...point, id: marker, then }])
    return () => (last ? server.exited : server.reached(marker))
  }
  switch (place.at) {
    case 'statement':
      return armed({
        marker: place.marker,
        at: { statement: place.statement, n: place.n },
        when: place.when,
      })
    case 'call':
      return armed({ at: { call: place.marker }, when: place.when })
    case 'outside': {
      const held = world.outside.hold(place.marker)
      return () => held.arrived
    }
    case 'model': {
      const stalled = world.stall(place.marker, place)
      const piece = firstPiece(plan, place.reply)
      return async (turn) => {
        await stalled.arrived
        // Nobody outside hears what a sub-agent says before it is done.
        if (place.pieces > 0 && place.marker === marker)
          await turn.until((events) =>
            events.some((event) => event.type === 'text_delta' && event.content.startsWith(piece)),
          )
      }
    }
    case 'notes': {
      const stalled = world.stallNotes(marker, place.pieces)
      return () => stalled.arrived
    }
    case 'rest':
      return (turn) =>
        turn.until((events) =>
          events.some(({ type }) => type === 'ask_user' || type === 'confirmation_required'),
        )
    default:
      return place satisfies never
  }
}

/** Whether the turn is over before it comes to its place. */
const isOver = async (arrives: Promise<void>, turn: Turn): Promise<boolean> =>
  Promise.race([arrives.then(() => false), turn.over.then(() => true)])
