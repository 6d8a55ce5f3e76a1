import { definePlugin, isList, isObject, PromptSections, use, type Json, type JsonObject } from '@amodal/sdk'
import { contentText, reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { textIn } from '../security/support/door.ts'
import { filler, isSummary, looks, mainCalls, openLooking, sessionOf } from './support/looking.ts'

const objects = (value: Json | undefined): readonly JsonObject[] => (isList(value) ? value.filter(isObject) : [])

/** The segments of a report, cut from the prompt that it has. */
const cut = ({ system_prompt: prompt, segments }: JsonObject): readonly (readonly [plugin: unknown, text: string])[] =>
  objects(segments).map(({ plugin, at, chars }) => [plugin, typeof prompt === 'string' ? prompt.slice(Number(at), Number(at) + Number(chars)) : ''])

/** One section that is always there, and one that a run adds. */
const weather = definePlugin({
  name: 'weather', version: '1.0.0',
  setup({ add, hooks }) {
    add(PromptSections, 'weather', { sections: () => [{ id: 'weather', title: 'Weather', body: 'It rains.', weight: 70, category: 'other' }] })
    hooks.prompt.compile.tap(({ sections }) => ({ sections: [...sections, { id: 'mood', title: '', body: 'Be kind.', weight: 80, category: 'other', plugin: 'weather' }] }))
  },
})

test('what is shown is what was sent, with the plugin that put each part there', async () => {
  const door = await openLooking((request, n) => (isSummary(request) ? reply.text('{"findings":["it rains"]}') : n < 26 ? looks(n) : reply.text('done')), {
    window: 8_000, look: ({ page }) => filler(1_200, page), entries: [use(weather)],
    files: { 'skills/triage/SKILL.md': '# Skill: Triage\n\nSorts what comes in.\n\n## Behavior\n\nSort it.\n' },
  })
  const session = sessionOf(await door.stream('go'))
  const sent = mainCalls(door).at(-1)

  const { body: last } = await door.get(`/inspect/sessions/${session}`)
  expect(last['system_prompt']).toBe(contentText(sent?.messages[0]))
  expect(cut(last)).toEqual(expect.arrayContaining([
    ['prompt', 'You are door.'], ['skills', expect.stringContaining('Sorts what comes in')], ['weather', '# Weather\n\nIt rains.'], ['weather', 'Be kind.'],
  ]))
  expect(cut(last).map(([, text]) => text).join('\n\n')).toBe(last['system_prompt'])
  expect(last['tools']).toEqual(sent?.tools?.map(({ function: { name } }) => name))
  expect(objects(last['messages']).map(({ role }) => role)).toEqual(sent?.messages.slice(1).map(({ role }) => role))
  expect(objects(last['messages']).slice(0, 2)).toMatchObject([{ role: 'user', plugin: 'compaction' }, { role: 'assistant', plugin: 'loop' }])

  // Before anybody has said anything: the same, without what a run adds.
  const { body: next } = await door.get('/inspect/context')
  expect(`${textIn(next, 'system_prompt')}\n\nBe kind.`).toBe(last['system_prompt'])
  expect(cut(next)).toEqual(cut(last).slice(0, -1))
  expect(objects(next['contributions'])).toContainEqual(expect.objectContaining({ category: 'skill', plugin: 'skills' }))

  expect((await door.get('/inspect/sessions/sess_unknown')).status).toBe(404)
}, 60_000)
