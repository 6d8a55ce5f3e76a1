import { bodyCases } from './cases/bodies.ts'
import { defaultCases } from './cases/defaults.ts'
import { delegationCases } from './cases/delegations.ts'
import { everydayCases } from './cases/everyday.ts'
import { graphqlCases } from './cases/graphql.ts'
import { headerCases } from './cases/headers.ts'
import { methodCases } from './cases/methods.ts'
import { pathCases } from './cases/paths.ts'
import { queryCases } from './cases/query.ts'
import { targetCases } from './cases/targets.ts'
import { templateCases } from './cases/templates.ts'
import { thresholdCases } from './cases/thresholds.ts'
import type { AccessCase } from './types.ts'

export { judge, RULES, TIERS } from './types.ts'
export type {
  AccessCase,
  AccessConnection,
  AccessFacts,
  AccessFile,
  AccessRequest,
  Classify,
  Rule,
  RuleNumber,
  Threshold,
  Tier,
  TierSpelling,
} from './types.ts'

/** Every case: a request, the rules it meets, and the only right answer. */
export const CASES: readonly AccessCase[] = [
  ...everydayCases,
  ...pathCases,
  ...targetCases,
  ...templateCases,
  ...queryCases,
  ...methodCases,
  ...headerCases,
  ...bodyCases,
  ...thresholdCases,
  ...delegationCases,
  ...defaultCases,
  ...graphqlCases,
]
