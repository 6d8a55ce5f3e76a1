/**
 * Says what is wrong with a recorded history: what the clients saw on the way, held against what
 * was kept. It knows the promises of the product and nothing of its code, and asks nobody: a
 * history is data (`history.ts`).
 */

import type { SequencedEntry } from '@amodal/kernel'
import { checkAnswers } from './check-answers.ts'
import { checkStreams } from './check-streams.ts'
import {
  of,
  seenOf,
  sessionsByKey,
  type History,
  type KeptSession,
  type Report,
  type Violation,
} from './history.ts'
import { effectsIn } from './outside.ts'
import { callsOf, planOf, tasksOf, type Plan } from './plan.ts'

/** Every broken promise; none where all is well. */
export function check(history: History): readonly Violation[] {
  const violations: Violation[] = []
  const report: Report = (kind, session, text) =>
    void violations.push({ kind, text, ...(session === undefined ? {} : { session }) })
  for (const session of history.kept.sessions) checkJournal(session, report)
  checkPrefixes(history, report)
  checkMessages(history, report)
  checkEffects(history, report)
  checkAnswers(history, report)
  checkStreams(history, report)
  checkDocuments(history, report)
  for (const { session, text } of history.kept.stuck) report('stuck', session, text)
  if (history.kept.audit !== undefined)
    report('broken', undefined, `the audit log: ${history.kept.audit}`)
  return violations
}

/** Gapless, every run with one end, every call with one outcome, and nobody at it any more. */
function checkJournal({ session, entries, lane }: KeptSession, report: Report): void {
  entries.forEach(({ seq }, index) => {
    if (seq !== index + 1) report('broken', session, `entry ${index + 1} has seq ${seq}`)
  })
  if (lane['head'] !== entries.length)
    report('broken', session, `the head is ${String(lane['head'])} with ${entries.length} entries`)
  if (lane['owner'] !== null || lane['messages'] !== 0 || lane['controls'] !== 0)
    report('stuck', session, `it is not at rest: ${JSON.stringify(lane)}`)
  const outcomes = new Map<string, number>()
  for (const { run, call } of [...of(entries, 'tool_outcome'), ...of(entries, 'child_closed')])
    outcomes.set(`${run} ${call}`, (outcomes.get(`${run} ${call}`) ?? 0) + 1)
  for (const { run, calls } of of(entries, 'model_reply')) {
    for (const { id } of calls) {
      const own = outcomes.get(`${run} ${id}`) ?? 0
      if (own !== 1)
        report(own === 0 ? 'lost' : 'doubled', session, `the call ${id} has ${own} outcomes`)
    }
  }
  for (const { run, key } of of(entries, 'user_message')) {
    const ends = of(entries, 'run_ended').filter((end) => end.run === run).length
    if (ends !== 1)
      report(ends === 0 ? 'lost' : 'doubled', session, `the message ${key} has ${ends} ends`)
  }
}

/** What was read once stands there for ever. */
function checkPrefixes(history: History, report: Report): void {
  const kept = new Map(history.kept.sessions.map(({ session, hashes }) => [session, hashes]))
  for (const { session, entries, at } of seenOf(history, 'read')) {
    const wrong = entries.findIndex((hash, index) => kept.get(session)?.[index] !== hash)
    if (wrong !== -1)
      report('rewritten', session, `entry ${wrong + 1} is not the one that was read at ${at} ms`)
  }
}

function checkMessages(history: History, report: Report): void {
  const acknowledged = sessionsByKey(history)
  const cancelled = new Set([...seenOf(history, 'cancelling').map(({ session }) => session)])
  // Whoever is asked whether to go on may say no.
  const finished = new Set(
    seenOf(history, 'answering')
      .filter(({ answer }) => answer.action === 'finish')
      .map(({ session }) => session),
  )
  const sent = new Map(seenOf(history, 'sent').map(({ key, plan }) => [key, plan]))
  for (const { key, why } of seenOf(history, 'gave_up'))
    report(
      'stuck',
      acknowledged.get(key),
      `a client gave up on ${sent.get(key)?.marker ?? key}: ${why}`,
    )
  for (const [key, session] of acknowledged) {
    const entries = history.kept.sessions.find((one) => one.session === session)?.entries ?? []
    const messages = of(entries, 'user_message').filter((entry) => entry.key === key)
    const plan = sent.get(key)
    const name = plan?.marker ?? key
    if (messages.length !== 1)
      report(
        messages.length === 0 ? 'lost' : 'doubled',
        session,
        `${name} was acknowledged, and is in the journal ${messages.length} times`,
      )
    const [message] = messages
    if (!message || !plan) continue
    if (planOf(message.text).marker !== plan.marker)
      report('broken', session, `${name} is in the journal with other words`)
    const end = of(entries, 'run_ended').find(({ run }) => run === message.run)
    // A sub-agent whose task fails is an outcome like any other for its parent.
    const allowed = plan.fails
      ? ['error', 'user_abort']
      : ['model_stop', 'user_abort', ...(finished.has(session) ? ['max_turns'] : [])]
    if (end && !allowed.includes(end.reason))
      report(
        'broken',
        session,
        `${name} ended with ${end.reason}: ${end.error?.code ?? ''} ${end.error?.message ?? ''}`,
      )
    if (end?.reason === 'user_abort' && !cancelled.has(session))
      report('broken', session, `${name} was aborted, and nobody had cancelled it`)
  }
  checkOrder(history, acknowledged, report)
}

/** Whoever has `init` of one message before they send the next one finds them in this order. */
function checkOrder(
  history: History,
  acknowledged: ReadonlyMap<string, string>,
  report: Report,
): void {
  const kept = new Map(
    seenOf(history, 'event')
      .filter(({ event }) => event.type === 'init')
      .map(({ key, at }) => [key, at])
      .reverse() as [string, number][],
  )
  const sent = new Map(seenOf(history, 'sent').map(({ key, at }) => [key, at]))
  for (const { session, entries } of history.kept.sessions) {
    const keys = of(entries, 'user_message')
      .map(({ key }) => key)
      .filter((key) => acknowledged.get(key) === session)
    keys.forEach((key, index) => {
      const later = keys
        .slice(0, index)
        .find((before) => (kept.get(key) ?? Infinity) < (sent.get(before) ?? 0))
      if (later !== undefined)
        report(
          'broken',
          session,
          `the message ${key} stands behind ${later}, which was sent after it was kept`,
        )
    })
  }
}

interface Family {
  readonly plan: Plan
  readonly kept: KeptSession
  readonly run: readonly SequencedEntry[]
}

/** The runs of all messages and of their sub-agents that were written down, with their plans. */
function familiesOf(history: History): readonly Family[] {
  const kept = new Map(history.kept.sessions.map((one) => [one.session, one]))
  const plans = new Map(seenOf(history, 'sent').map(({ plan }) => [plan.marker, plan]))
  const tasks = new Map([...plans.values()].flatMap(tasksOf).map((task) => [task.marker, task]))
  return [...kept.values()].flatMap((one) =>
    of(one.entries, 'user_message').flatMap(({ text, run }) => {
      const { marker } = planOf(text)
      const plan = plans.get(marker) ?? tasks.get(marker)
      return plan
        ? [{ plan, kept: one, run: one.entries.filter((entry) => entry.run === run) }]
        : []
    }),
  )
}

/**
 * Each effect at most once, where it is told to have happened exactly once, and never where it is
 * told that it did not.
 */
function checkEffects(history: History, report: Report): void {
  const isDisturbed = seenOf(history, 'fault').length > 0
  for (const {
    plan,
    kept: { session },
    run,
  } of familiesOf(history)) {
    for (const { marker, tool } of callsOf(plan)) {
      if (tool !== 'effect_keyed' && tool !== 'effect_plain') continue
      const effects = effectsIn(history.kept.calls, marker)
      if (effects > 1) report('doubled', session, `${marker} took effect ${effects} times`)
      const call = of(run, 'model_reply')
        .flatMap(({ calls }) => calls)
        .find(({ input }) => input.includes(`"${marker}"`))
      const outcome = of(run, 'tool_outcome').find((entry) => entry.call === call?.id)
      if (!outcome) {
        if (effects > 0)
          report('broken', session, `${marker} took effect, and the journal knows no outcome of it`)
        continue
      }
      if (outcome.status === 'success' && effects === 0)
        report('lost', session, `${marker} is told to have succeeded, and never took effect`)
      if (outcome.status === 'error' && effects > 0)
        report(
          'disobeyed',
          session,
          `${marker} took effect, and its outcome says that it did not: ${JSON.stringify(outcome.output).slice(0, 200)}`,
        )
      if (outcome.status === 'unknown') {
        const isAbort = of(run, 'run_ended').some(({ reason }) => reason === 'user_abort')
        if (tool === 'effect_keyed' && !isAbort)
          report(
            'broken',
            session,
            `nobody knows what became of ${marker}, which could be repeated`,
          )
        else if (!isDisturbed && !isAbort)
          report(
            'broken',
            session,
            `nobody knows what became of ${marker}, and nothing had happened to any server`,
          )
      }
    }
  }
  const planned = new Set(
    familiesOf(history)
      .flatMap(({ plan }) => callsOf(plan))
      .map(({ marker }) => marker),
  )
  for (const { marker } of history.kept.calls)
    if (!planned.has(marker))
      report('broken', undefined, `${marker} took effect, and no message that was kept asks for it`)
}

/** Versions without a gap; every write that was told to be kept is there, and each write once. */
function checkDocuments(history: History, report: Report): void {
  const kept = new Map(history.kept.documents.map(({ document, versions }) => [document, versions]))
  for (const [document, versions] of kept) {
    versions.forEach(({ version }, index) => {
      if (version !== index + 1)
        report('broken', undefined, `${document}: version ${version} stands at place ${index + 1}`)
    })
    const counts = Map.groupBy(versions, ({ value }) => value)
    for (const [value, same] of counts)
      if (same.length > 1)
        report('doubled', undefined, `${document}: ${value} was written ${same.length} times`)
  }
  const at = (document: string, value: string) =>
    kept.get(document)?.find((one) => one.value === value)
  for (const { document, value, heard, version, code } of seenOf(history, 'stored')) {
    const found = at(document, value)
    if (heard === 'accepted' && !found)
      report('lost', undefined, `${document}: ${value} was acknowledged, and is not there`)
    if (heard === 'accepted' && found && version !== undefined && found.version !== version)
      report(
        'mistold',
        undefined,
        `${document}: ${value} was told to be version ${version}, and is ${found.version}`,
      )
    if (heard === 'refused' && found)
      report(
        'disobeyed',
        undefined,
        `${document}: ${value} was refused (${code ?? ''}), and is there`,
      )
  }
  for (const {
    plan,
    kept: { session },
    run,
  } of familiesOf(history)) {
    for (const { marker, tool } of callsOf(plan)) {
      if (tool !== 'store_notes') continue
      const call = of(run, 'model_reply')
        .flatMap(({ calls }) => calls)
        .find(({ input }) => input.includes(`"${marker}"`))
      const outcome = of(run, 'tool_outcome').find((entry) => entry.call === call?.id)
      const found = history.kept.documents.some(({ versions }) =>
        versions.some(({ value }) => value === marker),
      )
      if (outcome?.status === 'success' && !found)
        report('lost', session, `${marker} is told to be stored, and is not there`)
      if (outcome?.status === 'error' && found)
        report(
          'disobeyed',
          session,
          `${marker} is stored, and its outcome says that it is not: ${JSON.stringify(outcome.output).slice(0, 200)}`,
        )
      const isAbort = of(run, 'run_ended').some(({ reason }) => reason === 'user_abort')
      if (outcome?.status === 'unknown' && !isAbort)
        report(
          'broken',
          session,
          `nobody knows what became of the write ${marker}, which could be repeated`,
        )
    }
  }
}
