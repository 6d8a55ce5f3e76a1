import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import { LocalToken } from '@amodal/sdk'
import { reply, startModelServer, type ChatCompletionRequest } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { research } from '../src/research.ts'

const EXAMPLE = join(import.meta.dirname, '..')
const QUESTION = 'Which efficiency do heat pumps reach in houses from before 1960?'
const STUDY_QUOTE = 'reached a seasonal performance factor of 3.1 in the median'
const NOTE_QUOTE = 'Studies of fewer than ten houses are anecdotes.'

const read = (id: string) => reply.toolCalls({ name: 'archive__read_study', arguments: { id } })
const write = (studyQuote: string) =>
  reply.toolCalls({
    name: 'artifacts_create',
    arguments: {
      type: 'research_report',
      title: 'Heat pumps in houses from before 1960',
      content_markdown: '# Heat pumps\n\nTheir median is 3.1.',
      citations: [
        { quote: studyQuote, tool: 'archive__read_study', statement: 'Their median is 3.1.' },
        { quote: NOTE_QUOTE },
      ],
    },
  })
const handIn = (confidence: string) =>
  reply.toolCalls({
    name: 'submit_result',
    arguments: {
      result: {
        answer: 'A seasonal performance factor of 3.1 in the median.',
        confidence,
        studies: ['field-trial-2024', 'village-2021'],
        gaps: ['houses with floor heating'],
      },
    },
  })

/** Searches, reads, misquotes, quotes, hands in what does not fit the schema, and then what does. */
const STEPS = [
  reply.toolCalls({ name: 'archive__search_studies', arguments: { words: ['seasonal'] } }),
  read('field-trial-2024'),
  read('village-2021'),
  write('reached a seasonal performance factor of 3.2 in the median'),
  write(STUDY_QUOTE),
  handIn('certain'),
  handIn('medium'),
]
const script = ({ messages }: ChatCompletionRequest) =>
  STEPS[messages.filter(({ role }) => role === 'tool').length] ?? reply.text('Done.')

/** The agent of the example in a folder of its own, next to its archive. */
async function serveDesk() {
  const model = await startModelServer({ script, keep: 40 })
  onTestFinished(() => model.close())
  const dir = await mkdtemp(join(tmpdir(), 'amodal-research-desk-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  await cp(join(EXAMPLE, 'agent'), join(dir, 'agent'), {
    recursive: true,
    filter: (path) => !path.endsWith('.amodal'),
  })
  await symlink(join(EXAMPLE, 'archive'), join(dir, 'archive'))
  const env = { ...process.env, AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted' }
  const started = await startFolder({ dir: join(dir, 'agent'), env, port: 0, logLevel: 'error' })
  if (!started.ok) throw new Error(explainStart(started.error))
  const { kernel, close } = started.value
  onTestFinished(() => close('test').then(() => undefined))
  const address = kernel.scope.get(HttpApp).address()
  const url = `http://${address?.host}:${address?.port}`
  return { model, url, key: kernel.scope.get(LocalToken).text() ?? '' }
}

test('a question becomes a report whose citations resolve', async () => {
  const { model, ...server } = await serveDesk()
  const limit = AbortSignal.timeout(120_000)
  const report = await research(server, QUESTION, 'ticket-1', limit)
  expect(report).toMatchObject({
    result: { confidence: 'medium', studies: ['field-trial-2024', 'village-2021'] },
    artifact: {
      title: 'Heat pumps in houses from before 1960',
      citations: [
        { quote: STUDY_QUOTE, source: { kind: 'tool_outcome', tool: 'archive__read_study' } },
        { quote: NOTE_QUOTE, source: { kind: 'document', file: 'knowledge/house-notes.md' } },
      ],
    },
  })
  // other calls, such as for a title, may come after those of the conversation
  const conversation = JSON.stringify(model.requests.map(({ body }) => body.messages))
  expect(conversation).toContain('citations.0.quote: stands in no result')
  expect(conversation).toContain('result.confidence')

  // The entry that the first citation names is a call of the session, whose result has the quote.
  const { source } = report.artifact.citations[0] ?? {}
  const entry = source?.kind === 'tool_outcome' ? source.entry : 0
  const row = await fetch(`${server.url}/sessions/${report.session}/trace/${entry}`, {
    headers: { authorization: `Bearer ${server.key}` },
    signal: limit,
  })
  expect(await row.json()).toMatchObject({
    row: { kind: 'tool', tool: { name: 'archive__read_study' } },
    result: { value: expect.stringContaining(STUDY_QUOTE) },
  })

  // The same key is the same run, and another one is another.
  const { count } = model
  expect(await research(server, QUESTION, 'ticket-1', limit)).toEqual(report)
  expect(model.count).toBe(count)
  const other = await research(server, QUESTION, 'ticket-2', limit)
  expect(other.session).not.toBe(report.session)
}, 180_000)
