import { failure, type Agent, type Caller } from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'
import { failed } from '@amodal/plugin-http/tokens'
import { recordList, type RecordAction, type RecordCell } from '@amodal/plugin-studio/tokens'
import type { Branch, ChangeReport, Divergence, Step } from '../replay/change-report.ts'
import { dollars } from '../report/table.ts'
import type { ReplayService, StoredReplay } from './replay-service.ts'

type List = ReturnType<typeof recordList>

/** Conversations that are offered, and characters of a step. */
const CONVERSATIONS = 10
const CHARS = 600
const PATH = '/api/evals/replay'

/** The replays of a tenant, and conversations that can be replayed. */
export async function replayLists(
  replays: ReplayService,
  agent: Agent,
  caller: Caller,
): Promise<readonly List[]> {
  const sessions = await agent.as(caller).sessions({ limit: CONVERSATIONS })
  const models = Object.values(agent.bundle()?.manifest.models ?? {})
  const others = [...new Set(models.map(({ model, provider }) => `${provider}/${model}`))].slice(1)
  const actionsOf = (session: string): readonly RecordAction[] => [
    { label: 'Replay', path: PATH, body: { session } },
    ...others.map((model) => ({
      label: `With ${model}`,
      path: PATH,
      body: { session, with: [{ kind: 'model', model }] },
      confirm: `Ask ${model} where the conversation differs? It costs what its answers cost.`,
    })),
  ]
  return [
    recordList({
      title: 'Replays',
      columns: ['Replayed', 'Session', 'With', 'Result', 'Cost'],
      records: replays.list(caller).map((replay) => ({ cells: replayCells(replay) })),
      empty: 'No conversation was replayed yet.',
    }),
    recordList({
      title: 'Replay a conversation',
      columns: ['Conversation', 'Last used'],
      records: (sessions.ok ? sessions.value.rows : []).map(({ session, title, updatedAt }) => ({
        cells: [
          { text: title === '' ? session : title, session },
          { time: new Date(updatedAt).toISOString() },
        ],
        actions: actionsOf(session),
      })),
      empty: 'There are no conversations.',
    }),
  ]
}

const replayCells = ({ at, changes, id, report }: StoredReplay): readonly RecordCell[] => [
  { time: new Date(at).toISOString(), open: { replay: id } },
  { text: report.session, session: report.session },
  { text: changes.length === 0 ? 'no change' : changes.join(', ') },
  resultCell(report),
  { text: report.cost === undefined ? 'unknown' : dollars(report.cost) },
]

function resultCell({ divergence, journal }: ChangeReport): RecordCell {
  if (divergence) return { text: placeOf(divergence), tone: 'warn' }
  return journal
    ? { text: `differs at entry ${journal.seq}`, tone: 'warn' }
    : { text: 'the model is asked the same', tone: 'good' }
}

function placeOf({ file, line, part, step, what }: Divergence): string {
  const source = file === undefined ? '' : `, ${file}:${line ?? 1}`
  return `differs at step ${step}: ${part}, ${what}${source}`
}

/** One replay: where it differs, and both courses side by side. */
export function replayShown(replays: ReplayService, caller: Caller, id: string): Response {
  const found = replays.list(caller).find((one) => one.id === id)
  if (!found) return failed(failure('NOT_FOUND', 'there is no such replay: it is not stored'))
  const { report } = found
  return Response.json({
    widgets: [differenceList(found), ...report.branches.map((branch) => sideBySide(branch))],
  })
}

const differenceList = ({ changes, report }: StoredReplay): List => {
  const { divergence, drift, journal, problems, stopped } = report
  const facts: readonly (readonly [string, string | RecordCell])[] = [
    ['Session', { text: report.session, session: report.session }],
    ['With', changes.length === 0 ? 'no change' : changes.join(', ')],
    ['Result', resultCell(report)],
    ...(divergence?.plugin === undefined ? [] : [['Plugin', divergence.plugin] as const]),
    ...(divergence?.word
      ? [['Words', `${divergence.word.before} → ${divergence.word.after}`] as const]
      : []),
    ...(divergence?.excerpt
      ? [
          ['Before', divergence.excerpt.before] as const,
          ['After', { text: divergence.excerpt.after, tone: 'warn' }] as const,
        ]
      : []),
    ...(journal ? [['Field', journal.field] as const] : []),
    ...(stopped === undefined ? [] : [['Ended early', stopped] as const]),
    ...(drift
      ? [['Note', `the agent itself differs from the record at entry ${drift.seq}`] as const]
      : []),
    ...problems.map((problem) => ['Note', problem] as const),
  ]
  return recordList({
    title: 'Replay',
    columns: ['', ''],
    records: facts.map(([name, value]) => ({ cells: [name, value] })),
  })
}

/** Recorded on the left, replayed on the right; the first step that differs is marked. */
function sideBySide({ agents, from, recorded, replayed }: Branch): List {
  const steps = Array.from({ length: Math.max(recorded.length, replayed.length) }, (_, index) => ({
    before: textOf(recorded[index]),
    after: textOf(replayed[index]),
  }))
  const first = steps.findIndex(({ before, after }) => before !== after)
  return recordList({
    title: agents.length === 0 ? `From step ${from}` : `${agents.join(' › ')}, from step ${from}`,
    columns: ['Step', 'Recorded', 'Replayed'],
    records: steps.map(({ before, after }, index) => ({
      cells: [
        String(from + index),
        before,
        index === first ? { text: after, tone: 'bad' as const } : after,
      ],
    })),
    empty: 'The model did nothing from there.',
  })
}

function textOf(step: Step | undefined): string {
  if (!step) return '—'
  const calls = step.calls.map(({ args, by, name }) => {
    const answered = by === 'refused' ? ' (refused)' : ''
    return `${name}(${JSON.stringify(args)})${answered}`
  })
  return ellipsis([step.text, ...calls].filter((part) => part !== '').join('\n'), CHARS)
}
