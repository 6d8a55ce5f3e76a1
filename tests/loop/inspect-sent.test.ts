import {
  definePlugin,
  isList,
  isObject,
  PromptSections,
  use,
  type Json,
  type JsonObject,
} from '@amodal/sdk'
import { contentText, reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { Amodal } from '../e2e/server.ts'
import { filler, isSummary, looks, mainCalls, openLooking, sessionOf } from './support/looking.ts'

const objects = (value: Json | undefined): readonly JsonObject[] =>
  isList(value) ? value.filter(isObject) : []

/** The segments of a report, cut from the prompt that it has. */
const cut = ({
  system_prompt: prompt,
  segments,
}: JsonObject): readonly (readonly [plugin: unknown, text: string])[] =>
  objects(segments).map(({ plugin, at, chars }) => [
    plugin,
    typeof prompt === 'string' ? prompt.slice(Number(at), Number(at) + Number(chars)) : '',
  ])

/** One section that is always there, and one that its tap adds under another name. */
const weather = definePlugin({
  name: 'weather',
  version: '1.0.0',
  setup({ add, hooks }) {
    add(PromptSections, 'weather', {
      sections: () => [
        { id: 'weather', title: 'Weather', body: 'It rains.', weight: 70, category: 'other' },
      ],
    })
    hooks.prompt.compile.tap(({ sections }) => ({
      sections: [
        ...sections,
        {
          id: 'mood',
          title: '',
          body: 'Be kind.',
          weight: 80,
          category: 'other',
          plugin: 'somebody',
        },
      ],
    }))
  },
})

/** Changes a section of another plugin, after everybody else. */
const editor = definePlugin({
  name: 'editor',
  version: '1.0.0',
  setup({ hooks }) {
    hooks.prompt.compile.tap(
      ({ sections }) => ({
        sections: sections.map((section) =>
          section.id === 'weather' ? { ...section, body: 'The sun shines.' } : section,
        ),
      }),
      { stage: 'last' },
    )
  },
})

test('what is shown is what was sent, with the plugin that put each part there', async () => {
  const door = await openLooking(
    (request, n) =>
      isSummary(request)
        ? reply.text('{"findings":["it rains"]}')
        : n < 26
          ? looks(n)
          : reply.text('done'),
    {
      window: 8_000,
      look: ({ page }) => filler(1_200, page),
      entries: [use(weather), use(editor)],
      files: {
        'skills/triage/SKILL.md':
          '# Skill: Triage\n\nSorts what comes in.\n\n## Behavior\n\nSort it.\n',
      },
    },
  )
  const session = sessionOf(await door.stream('go'))
  const sent = mainCalls(door).at(-1)

  const { body: last } = await door.get(`/inspect/sessions/${session}`)
  expect(last['system_prompt']).toBe(contentText(sent?.messages[0]))
  expect(cut(last)).toEqual(
    expect.arrayContaining([
      ['prompt', 'You are door.'],
      ['skills', expect.stringContaining('Sorts what comes in')],
      ['weather', '# Weather\n\nThe sun shines.'],
      ['weather', 'Be kind.'],
    ]),
  )
  expect(
    cut(last)
      .map(([, text]) => text)
      .join('\n\n'),
  ).toBe(last['system_prompt'])
  expect(last['tools']).toEqual(sent?.tools?.map(({ function: { name } }) => name))
  expect(objects(last['messages']).map(({ role }) => role)).toEqual(
    sent?.messages.slice(1).map(({ role }) => role),
  )
  expect(objects(last['messages']).slice(0, 2)).toMatchObject([
    { role: 'user', plugin: 'compaction' },
    { role: 'assistant', plugin: 'loop' },
  ])

  expect(objects(last['segments']).filter(({ changed_by: by }) => by !== undefined)).toEqual([
    expect.objectContaining({ id: 'weather', plugin: 'weather', changed_by: ['editor'] }),
  ])

  // Before anybody has said anything: the same, with what the taps of a run add.
  const { body: next } = await door.get('/inspect/context')
  expect(next['system_prompt']).toBe(last['system_prompt'])
  expect(next['segments']).toEqual(last['segments'])
  expect(objects(next['contributions'])).toContainEqual(
    expect.objectContaining({ category: 'skill', plugin: 'skills' }),
  )

  expect((await door.get('/inspect/sessions/sess_unknown')).status).toBe(404)
}, 60_000)

test('the command line shows what a tap adds, with its plugin', async () => {
  const door = await openLooking(() => reply.text('done'), {
    manifest: { plugins: [['plan-mode', { always: true }]] },
  })
  const { out } = await new Amodal(['inspect', '--segments', '--dir', door.dir]).ended
  expect(out).toMatch(/^── \S+ \(plan-mode\)$/m)
}, 60_000)
