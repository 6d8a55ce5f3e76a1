import { createHash } from 'node:crypto'
import type { PrincipalId, TenantId } from '@amodal/sdk'
import type { Experiment } from '../definition.ts'

interface Who {
  readonly tenant: TenantId
  readonly principal: PrincipalId
}

/**
 * The variant that a principal gets, without anything being stored: the same on every instance and
 * after every restart. Whether they take part and which variant they get are two independent
 * numbers, so that a larger share adds principals and moves none.
 *
 * @returns `undefined` where the principal does not take part
 */
export function assign(experiment: Experiment, who: Who): string | undefined {
  const { share, variants, weights } = experiment
  if (unit(experiment, who, 'share') >= share) return undefined
  const total = variants.reduce((sum, { name }) => sum + (weights[name] ?? 1), 0)
  let rest = unit(experiment, who, 'variant') * total
  for (const { name } of variants) {
    rest -= weights[name] ?? 1
    if (rest < 0) return name
  }
  return variants.at(-1)?.name
}

/** A number in [0, 1) that is spread evenly over principals. */
function unit({ name }: Experiment, { principal, tenant }: Who, purpose: string): number {
  const digest = createHash('sha256').update(JSON.stringify([purpose, name, tenant, principal]))
  return digest.digest().readUIntBE(0, 6) / 2 ** 48
}
