import { never, type SequencedEntry } from '@amodal/sdk'
import type { AskThing, CallThing, Shown, Thing } from './thing.ts'

/** All entries that a thing is made of. */
export function entriesOf(thing: Thing): readonly SequencedEntry[] {
  switch (thing.kind) {
    case 'call': {
      const { entry, intent, outcome, opened, closed, settled, questions } = thing
      const own = [entry, intent, outcome, opened, closed, settled]
      return [...own.flatMap((one) => one ?? []), ...questions.flatMap(entriesOf)]
    }
    case 'reply':
      return [thing.entry, ...thing.attempts]
    case 'ask':
      return thing.answer ? [thing.entry, thing.answer] : [thing.entry]
    case 'message':
    case 'spent':
    case 'guard':
    case 'compaction':
    case 'note':
    case 'end':
      return [thing.entry]
    default:
      return never(thing)
  }
}

type Entries = ReadonlyMap<number, SequencedEntry>

/** An entry in the place of the one with the same number. */
function swap<E extends SequencedEntry>(entry: E, shown: Entries): E | undefined {
  const other = shown.get(entry.seq)
  return other?.kind === entry.kind ? (other as E) : undefined // of the same kind
}

/**
 * A thing made of these entries; `undefined` where its own is not among them, since it has expired
 * meanwhile. What it has of others is left out then.
 */
export function withEntries(thing: Thing, shown: Entries): Shown | undefined {
  switch (thing.kind) {
    case 'call':
      return callWith(thing, shown)
    case 'ask':
      return askWith(thing, shown)
    case 'message': {
      const entry = swap(thing.entry, shown)
      return entry && { ...thing, entry, shown: true }
    }
    case 'reply': {
      const entry = swap(thing.entry, shown)
      return entry && { ...thing, entry, shown: true }
    }
    case 'guard': {
      const entry = swap(thing.entry, shown)
      return entry && { ...thing, entry, shown: true }
    }
    case 'compaction': {
      const entry = swap(thing.entry, shown)
      return entry && { ...thing, entry, shown: true }
    }
    case 'spent': {
      const entry = swap(thing.entry, shown)
      return entry && { ...thing, entry, shown: true }
    }
    case 'note': {
      const entry = swap(thing.entry, shown)
      return entry && { ...thing, entry, shown: true }
    }
    case 'end': {
      const entry = swap(thing.entry, shown)
      return entry && { ...thing, entry, shown: true }
    }
    default:
      return never(thing)
  }
}

function callWith(thing: CallThing, shown: Entries): Shown<CallThing> | undefined {
  const entry = swap(thing.entry, shown)
  if (!entry) return undefined
  const { intent, outcome, opened, closed, settled, questions, ...rest } = thing
  const shownIntent = intent && swap(intent, shown)
  const shownOutcome = outcome && swap(outcome, shown)
  const shownOpened = opened && swap(opened, shown)
  const shownClosed = closed && swap(closed, shown)
  const shownSettled = settled && swap(settled, shown)
  return {
    ...rest,
    entry,
    shown: true,
    ...(shownIntent && { intent: shownIntent }),
    ...(shownOutcome && { outcome: shownOutcome }),
    ...(shownOpened && { opened: shownOpened }),
    ...(shownClosed && { closed: shownClosed }),
    ...(shownSettled && { settled: shownSettled }),
    questions: questions.flatMap((one) => askWith(one, shown) ?? []),
  }
}

function askWith(thing: AskThing, shown: Entries): Shown<AskThing> | undefined {
  const { answer, ...rest } = thing
  const entry = swap(thing.entry, shown)
  const shownAnswer = answer && swap(answer, shown)
  return entry && { ...rest, entry, shown: true, ...(shownAnswer && { answer: shownAnswer }) }
}
