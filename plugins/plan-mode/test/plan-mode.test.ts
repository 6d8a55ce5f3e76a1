import { type Json, type JsonObject, type RunContext, runId } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { planMode } from '../src/index.ts'
import { planSection } from '../src/section.ts'
import { approved, entering, isPlanning, planOf } from '../src/state.ts'

pluginContract(planMode, { config: { always: true } })

const place = (
  sessionState: JsonObject,
  raw: JsonObject = {},
): Pick<RunContext, 'sessionState' | 'run' | 'bundle'> => ({
  sessionState,
  run: runId('run_2'),
  bundle: {
    hash: '',
    root: undefined,
    manifest: { name: 'a', version: '1', models: {}, limits: {}, raw },
    instructions: undefined,
    skills: [],
    knowledge: [],
    stores: [],
    files: [],
    references: [],
    issues: [],
    parts: {},
  },
})

describe('a session plans', () => {
  test.each<readonly [string, JsonObject, boolean, boolean]>([
    ['never said', {}, false, false],
    ['entered', entering, false, true],
    ['approved in this run', approved('p', 'run_2'), false, false],
    ['approved in an earlier run', approved('p', 'run_1'), false, false],
    ['always: never said', {}, true, true],
    ['always: approved in this run', approved('p', 'run_2'), true, false],
    ['always: approved in an earlier run', approved('p', 'run_1'), true, true],
    ['always: a message says otherwise', { 'plan-mode': { active: false } }, true, true],
  ])('%s', (_name, state, always, planning) => {
    expect(isPlanning(place(state), always)).toBe(planning)
  })

  test.each<readonly [Json, boolean]>([
    [{ planMode: 'always' }, true],
    [{ planMode: 'manual' }, false],
    ['always', false],
    [null, false],
  ])('where amodal.json says "security": %j: %s', (security, planning) => {
    expect(isPlanning(place({}, { security }), false)).toBe(planning)
  })

  test('state of another shape counts as none', () => {
    for (const kept of ['x', null, [], { active: 'yes' }] satisfies Json[])
      expect(isPlanning(place({ 'plan-mode': kept }), false)).toBe(false)
  })
})

test('the plan stands in the prompt once it is approved, and no longer than it counts', () => {
  expect(planOf(place(approved('1. close it', 'run_2')), true)).toBe('1. close it')
  expect(planOf(place(approved('1. close it', 'run_1')), true)).toBeUndefined()
  expect(planSection(false, '1. close it')?.body).toContain('1. close it')
  expect(planSection(true, undefined)?.body).toContain('propose_plan')
  expect(planSection(false, undefined)).toBeUndefined()
})
