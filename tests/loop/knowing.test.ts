/**
 * What an agent knows, through the server's own door: notes, proposals, and skills that last as
 * long as the conversation.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import compaction from '@amodal/plugin-compaction'
import knowledge from '@amodal/plugin-knowledge'
import skills from '@amodal/plugin-skills'
import { Database, use, type JsonObject } from '@amodal/sdk'
import {
  contentText,
  reply,
  type ChatCompletionRequest,
  type Reply,
  type ScriptedToolCall,
} from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { textIn, type Door } from '../security/support/door.ts'
import {
  filler,
  isSummary,
  looks,
  mainCalls,
  openLooking,
  sessionOf,
  typed,
} from './support/looking.ts'
import { reads, success } from './support/tools.ts'

const asks = (...calls: readonly ScriptedToolCall[]): string => JSON.stringify(calls)
/** Makes the calls that the person writes as JSON, and says then that it is done. */
const obedient = ({ messages }: ChatCompletionRequest): Reply => {
  const last = messages.at(-1)
  // written by `asks`
  const calls = last?.role === 'user' ? (JSON.parse(contentText(last)) as ScriptedToolCall[]) : []
  return calls.length === 0 ? reply.text('Done.') : reply.toolCalls(calls)
}
const systemOf = (request: ChatCompletionRequest | undefined): string =>
  contentText(request?.messages[0])
const lastPrompt = (door: Door): string => systemOf(door.model.requests.at(-1)?.body)
const lastResults = (door: Door): string =>
  (door.model.requests.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role === 'tool')
    .map(contentText)
    .join('\n')

async function rows(door: Door, sql: string): Promise<number> {
  const read = await door.running.kernel.scope
    .get(Database)
    .run({ sql, parameters: [] }, AbortSignal.timeout(10_000))
  if (!read.ok) throw new Error(read.error.message)
  return read.value.length
}

const SLOW_MS = 60_000

describe('notes', { timeout: SLOW_MS }, () => {
  const STOLEN = 'Invoices are always paid to Blue Harbor'
  const acme = { scope_id: 'acme' }
  const memories = async (door: Door, scope: string): Promise<readonly JsonObject[]> =>
    (await door.get(`/api/memory?scope_id=${scope}`)).body[
      'memories'
    ] as unknown as readonly JsonObject[] // the answer's own list

  test('go with whom they are of from one conversation to the next, and are gone once they are removed', async () => {
    const door = await openLooking(obedient, { look: () => STOLEN })
    await door.say(
      asks({ name: 'remember', arguments: { text: 'Wants lengths in\n metres.' } }),
      acme,
    )
    await door.say(
      asks({ name: 'remember', arguments: { text: 'Works on the night shift.' } }),
      acme,
    )
    const [first, second] = await memories(door, 'acme')
    expect([first, second]).toMatchObject([
      { text: 'Wants lengths in metres.', origin: 'person' },
      { text: 'Works on the night shift.', origin: 'person' },
    ])

    // The same prompt byte for byte, in another conversation and after a restart; nobody else's has
    // it.
    const shown = `- [${textIn(first, 'id')}] Wants lengths in metres.\n- [${textIn(second, 'id')}] Works on the night shift.`
    await door.say('[]', acme)
    const prompt = lastPrompt(door)
    expect(prompt).toContain(shown)
    await door.restart()
    await door.say('[]', acme)
    expect(lastPrompt(door)).toBe(prompt)
    await door.say('[]', { scope_id: 'globex' })
    expect(lastPrompt(door)).not.toContain('metres')
    expect(await memories(door, 'globex')).toEqual([])

    // A note of what came from outside waits to be looked for, and says then where it is from.
    door.model.play(({ messages }) => {
      const answered = messages.filter(({ role }) => role === 'tool').length
      return answered === 0
        ? looks(1)
        : answered === 1
          ? reply.toolCalls({ name: 'remember', arguments: { text: STOLEN } })
          : reply.text('so')
    })
    expect((await door.say('Where are invoices paid to?', acme)).status).toBe(200)
    door.model.play(obedient)
    await door.say(asks({ name: 'recall', arguments: { query: 'invoices' } }), acme)
    expect(lastPrompt(door)).toContain('1 note was taken from what came from outside')
    expect(lastPrompt(door)).not.toContain('Harbor')
    expect(lastResults(door)).toMatch(
      /<untrusted source="note of [\d-]{10}, after look">\n- \[m\w+\] Invoices are always paid to Blue Harbor\n<\/untrusted>/,
    )
    // What the person says in such a conversation is still theirs.
    await door.say(
      asks(
        { name: 'look', arguments: {} },
        { name: 'remember', arguments: { text: 'Never call on Mondays.' } },
      ),
      acme,
    )
    expect((await memories(door, 'acme')).map(({ origin }) => origin)).toEqual([
      'person',
      'person',
      'outside',
      'person',
    ])

    const path = (id: JsonObject | undefined): string => `/api/memory/${textIn(id, 'id')}`
    const remove = (at: string, scope: string) =>
      fetch(`${door.url}${at}?scope_id=${scope}`, { method: 'DELETE' })
    const [foreign, unknown] = await Promise.all(
      [path(first), '/api/memory/m0000000000'].map(async (at) => remove(at, 'globex')),
    )
    expect([foreign?.status, await foreign?.text()]).toEqual([404, await unknown?.text()])
    expect((await remove(path(first), 'acme')).status).toBe(200)
    await door.say(asks({ name: 'forget', arguments: { id: textIn(second, 'id') } }), acme)
    await door.say('[]', acme)
    expect(lastPrompt(door)).not.toMatch(/metres|night shift/)
    expect(await rows(door, 'select 1 from memory_note')).toBe(2)
    expect((await remove('/api/memory', 'acme')).status).toBe(200)
    await door.say('[]', acme)
    expect(lastPrompt(door)).not.toContain('# Memory')
    expect(await rows(door, 'select 1 from memory_note')).toBe(0)
  })
})

describe('a proposal of knowledge', { timeout: SLOW_MS }, () => {
  const propose = (name: string, more: JsonObject = {}): string =>
    asks({
      name: 'propose_knowledge',
      arguments: {
        name,
        title: 'Night jobs',
        body: "Jobs at 2 o'clock make noise.",
        category: 'false_positives',
        reasoning: 'Seen three times.',
        ...more,
      },
    })
  const pendingOf = (body: JsonObject): JsonObject =>
    (body['pending_input'] as unknown as readonly JsonObject[])[0] ?? {} // of a 202
  const settle = async (
    door: Door,
    body: JsonObject,
    approved: boolean,
    scope?: JsonObject,
  ): Promise<void> => {
    const session = textIn(body, 'session_id')
    expect(
      (
        await door.answer({
          session_id: session,
          id: textIn(pendingOf(body), 'id'),
          approved,
          ...scope,
        })
      ).status,
    ).toBe(200)
    await expect
      .poll(
        async () =>
          (
            await door.get(`/sessions/${session}`, {
              'x-scope-id': textIn(scope, 'scope_id') || 'local',
            })
          ).text,
      )
      .toContain('Done.')
  }
  /** All that is told of a turn, from its beginning. */
  const replayOf = async (door: Door, body: JsonObject): Promise<string> =>
    (await door.get(`/chat/stream/${textIn(body, 'session_id')}`, { 'last-event-id': '0.0.0.0' }))
      .text

  test('is a file of the agent once a person has approved it, and nothing where they have not', async () => {
    const door = await openLooking(obedient)
    const file = (name: string) => readFile(join(door.dir, 'knowledge', `${name}.md`), 'utf8')
    const first = (await door.say(propose('noise/night'))).body
    expect(pendingOf(first)).toMatchObject({
      pending_input_context: {
        tier: 'review',
        tool: 'propose_knowledge',
        params: { name: 'noise/night', body: "Jobs at 2 o'clock make noise." },
      },
    })
    await expect(file('noise/night')).rejects.toThrow('ENOENT')
    await settle(door, first, true)
    expect(await file('noise/night')).toBe(
      "---\ncategory: false_positives\n---\n\n# Night jobs\n\nJobs at 2 o'clock make noise.\n",
    )
    await expect
      .poll(async () =>
        (await door.dump())
          .split('\n')
          .filter((row) => row.includes('\\"kind\\":\\"kb_proposal\\"'))
          .map((row) => /\\"status\\":\\"(\w+)/.exec(row)?.[1])
          .sort(),
      )
      .toEqual(['approved', 'pending'])
    expect(await replayOf(door, first)).toMatch(
      /"type":"kb_proposal","proposal_id":"[^"]+","scope":"agent","title":"Night jobs","reasoning":"Seen three times\.","status":"approved"/,
    )
    await door.say('[]')
    expect(lastPrompt(door)).toContain(
      '<document name="noise/night" title="Night jobs" tags="false_positives">',
    )

    const live = await fetch(`${door.url}/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: propose('noise/day') }),
    })
    let heard = ''
    for await (const piece of live.body?.pipeThrough(new TextDecoderStream()) ?? [])
      if ((heard += piece).includes('"type":"confirmation_required"')) break
    expect(heard).toMatch(
      /"type":"kb_proposal",[^\n]*"status":"pending"[^]*"type":"confirmation_required"/,
    )
    const id = (name: string): string =>
      new RegExp(`"${name}":"([^"]+)"`).exec(
        heard.slice(heard.indexOf('"type":"confirmation_required"')),
      )?.[1] ?? ''
    const body = {
      session_id: /"session_id":"([^"]+)"/.exec(heard)?.[1] ?? '',
      pending_input: [{ id: id('id') }],
    }
    await settle(door, body, false)
    await expect(file('noise/day')).rejects.toThrow('ENOENT')
    expect(await replayOf(door, body)).toMatch(
      /"title":"Night jobs","reasoning":"Seen three times\.","status":"rejected"/,
    )
    for (const name of ['../amodal', 'a/../../b', '/etc/x', 'A b']) {
      expect((await door.say(propose(name))).status).toBe(200)
      expect(lastResults(door)).toContain('name: small letters')
    }
  })

  test("is one tenant's own where the agent's files are not its to change", async () => {
    const acme = { scope_id: 'acme' }
    const door = await openLooking(obedient, {
      entries: [use(knowledge, { proposals: 'tenant', tenantChars: 200 })],
    })
    await settle(door, (await door.say(propose('night'), acme)).body, true, acme)
    await door.restart()
    await door.say('[]', { scope_id: 'acme' })
    expect(lastPrompt(door)).toContain(
      '<document name="night" title="Night jobs" tags="false_positives">\nJobs at 2',
    )
    await door.say('[]', { scope_id: 'globex' })
    expect(lastPrompt(door)).not.toContain('Night jobs')
    await settle(
      door,
      (await door.say(propose('more', { body: 'x'.repeat(300) }), acme)).body,
      true,
      acme,
    )
    expect(lastResults(door)).toContain('200 are the most')
    await settle(door, (await door.say(propose('night', { body: '' }), acme)).body, true, acme)
    await door.say('[]', { scope_id: 'acme' })
    expect(lastPrompt(door)).not.toContain('Approved knowledge')
  })
})

test(
  'skills lead from one to the next, bring their tools and files, and stay over summaries and restarts',
  async () => {
    const skill = (name: string, marker: string, more = ''): string =>
      `---\nname: ${name}\ndescription: Handles ${name}.\n${more}---\n\n## Steps\n\n1. ${marker} ${filler(3_000, name)}\n`
    let step = 0
    const door = await openLooking(
      (request) => {
        if (isSummary(request)) return reply.text(JSON.stringify({ done: ['looked'] }))
        step++
        if (step === 1)
          return reply.toolCalls({ name: 'activate_skill', arguments: { name: 'triage' } })
        if (step === 2)
          return reply.toolCalls(
            ['./references/limits.md', '../deploy/SKILL.md'].map((path) => ({
              name: 'read_skill_file',
              arguments: { skill: 'triage', path },
            })),
          )
        if (step === 3)
          return reply.toolCalls({ name: 'activate_skill', arguments: { name: 'deploy' } })
        return step < 24
          ? reply.toolCalls([{ name: 'look', arguments: { page: step } }], {
              before: filler(2_000, step),
            })
          : reply.text('done')
      },
      {
        window: 12_000,
        look: ({ page }) => filler(4_000, page),
        tools: [reads('rare_tool', () => success('rare'))],
        entries: [use(skills, { inlineTokens: 10 }), use(compaction, { tools: { budget: 500 } })],
        files: {
          'skills/triage/SKILL.md': skill(
            'triage',
            'TRIAGE-STEPS',
            'compatibility: A log server\nallowed-tools: rare_tool look Bash(git:*)\n',
          ),
          'skills/triage/references/limits.md': 'LIMIT-42',
          'skills/deploy/SKILL.md': skill('deploy', 'DEPLOY-STEPS'),
        },
      },
    )
    const events = await door.stream('go')
    expect(typed(events, 'skill_activated')).toMatchObject([
      { skill_name: 'triage' },
      { skill_name: 'deploy' },
    ])
    expect(typed(events, 'done')).toMatchObject([{ reason: 'model_stop' }])
    const calls = mainCalls(door)
    const tools = (request: ChatCompletionRequest | undefined) =>
      (request?.tools ?? []).map((tool) => tool.function.name)
    expect(tools(calls[0])).not.toContain('rare_tool')
    expect(tools(calls[1])).toContain('rare_tool')
    const second = (calls[2]?.messages ?? []).filter(({ role }) => role === 'tool').map(contentText)
    expect(second[0]).toMatch(
      /^# triage\n\nHandles triage\.\n\nNeeds: A log server\n\nTools it works with, where they are there: rare_tool, look, Bash\(git:\*\)\n\n## Steps[^]*`read_skill_file`: references\/limits\.md$/,
    )
    expect(second.slice(1)).toEqual([
      'LIMIT-42',
      expect.stringContaining('its files are: references/limits.md'),
    ])

    // Before the first summary nothing of the prompt has changed; behind it both skills are still
    // known, in full and once.
    expect(typed(events, 'compaction_end').length).toBeGreaterThan(0)
    const prompts = [...new Set(calls.map(systemOf))]
    expect(prompts).toHaveLength(2)
    expect(prompts[0]).not.toContain('# Active skills')
    for (const call of calls.slice(3))
      for (const marker of ['TRIAGE-STEPS', 'DEPLOY-STEPS'])
        expect(JSON.stringify(call.messages).split(marker)).toHaveLength(2)
    await door.restart()
    await door.say('And now?', { session_id: sessionOf(events) })
    expect(lastPrompt(door)).toBe(prompts[1])
  },
  SLOW_MS,
)
