import { principalId, tenantId } from '@amodal/sdk'
import { expect, test } from 'vitest'
import type { Experiment } from '../src/definition.ts'
import { assign } from '../src/online/assign.ts'

const variant = (name: string) => ({ name, skills: [], knowledge: [], changes: [] })
const EXPERIMENT: Experiment = {
  name: 'tone',
  file: 'experiments/tone.json',
  description: '',
  variants: [variant('base'), variant('brief')],
  control: 'base',
  share: 0.2,
  weights: { base: 1, brief: 1 },
  metric: 'feedback',
  alpha: 0.05,
  minPrincipals: 50,
  evals: [],
  status: 'running',
  version: '1',
}
const PEOPLE = Array.from({ length: 5_000 }, (_, at) => ({
  tenant: tenantId('acme'),
  principal: principalId(`user-${at}`),
}))
const variantsFor = (experiment: Experiment): readonly (string | undefined)[] =>
  PEOPLE.map((who) => assign(experiment, who))
const shareOf = (found: readonly (string | undefined)[], name: string | undefined): number =>
  found.filter((one) => one === name).length / found.length

test('as many take part as the share says, split evenly', () => {
  const found = variantsFor(EXPERIMENT)
  expect(shareOf(found, undefined)).toBeCloseTo(0.8, 1)
  expect(shareOf(found, 'base')).toBeCloseTo(0.1, 1)
  expect(shareOf(found, 'brief')).toBeCloseTo(0.1, 1)
})

test('weights split them otherwise', () => {
  const found = variantsFor({ ...EXPERIMENT, share: 1, weights: { base: 3, brief: 1 } })
  expect(shareOf(found, 'brief')).toBeCloseTo(0.25, 1)
})

test('a larger share adds people and moves none', () => {
  const before = variantsFor(EXPERIMENT)
  const after = variantsFor({ ...EXPERIMENT, share: 0.6 })
  expect(before.every((one, at) => one === undefined || one === after[at])).toBe(true)
  expect(shareOf(after, undefined)).toBeCloseTo(0.4, 1)
})

test('another experiment splits the same people independently', () => {
  const one = variantsFor({ ...EXPERIMENT, share: 1 })
  const other = variantsFor({ ...EXPERIMENT, share: 1, name: 'length' })
  const both = one.filter((name, at) => name === 'brief' && other[at] === 'brief').length
  expect(both / PEOPLE.length).toBeCloseTo(0.25, 1)
})

test('nobody takes part in a share of 0, and everybody in one of 1', () => {
  expect(shareOf(variantsFor({ ...EXPERIMENT, share: 0 }), undefined)).toBe(1)
  expect(shareOf(variantsFor({ ...EXPERIMENT, share: 1 }), undefined)).toBe(0)
})
