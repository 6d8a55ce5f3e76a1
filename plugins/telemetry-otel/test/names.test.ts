/** The names that we send, against the registry that the conventions publish as a package. */
import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import { expect, test } from 'vitest'
import { METRICS, NAMES, namesOf, SEMCONVS } from '../src/names.ts'

const NEWER = 'of the conventions in their own repository, which are newer than the package'

/** Names that the package does not have, and why we send them. */
const REASONS: Readonly<Record<string, string>> = {
  'gen_ai.usage.cache_write.input_tokens': NEWER,
  'gen_ai.client.inference.duration': NEWER,
  'gen_ai.client.inference.time_to_first_chunk': NEWER,
  'gen_ai.client.inference.usage.input_tokens': NEWER,
  'gen_ai.client.inference.usage.output_tokens': NEWER,
  'gen_ai.client.inference.usage.cache_read.input_tokens': NEWER,
  'gen_ai.client.inference.usage.cache_write.input_tokens': NEWER,
  'gen_ai.client.inference.usage.reasoning.output_tokens': NEWER,
  'gen_ai.invoke_agent.duration': NEWER,
  'gen_ai.invoke_agent.inference_calls': NEWER,
  'gen_ai.invoke_agent.tool_calls': NEWER,
  'gen_ai.execute_tool.duration': NEWER,
}

const published = new Set<unknown>(Object.values(conventions))

/** All texts in a value, however deep. */
const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
const sent = [...new Set([NAMES, METRICS, ...SEMCONVS.map(namesOf)].flatMap(textsIn))]

test('every name of the conventions is published, or has a reason', () => {
  expect(published.has('gen_ai.request.model')).toBe(true)
  const own = sent.filter((name) => name.startsWith('amodal.'))
  const others = sent.filter((name) => !name.startsWith('amodal.'))
  expect(own.length).toBeGreaterThan(15)
  expect(others.length).toBeGreaterThan(20)
  expect(others.filter((name) => !published.has(name) && !(name in REASONS))).toEqual([])
})

test('no reason is out of date', () => {
  expect(
    Object.keys(REASONS).filter((name) => published.has(name) || !sent.includes(name)),
  ).toEqual([])
})
