import type { AccessCase, AccessFile, AccessRequest, RuleNumber, Tier } from './types.ts'

export const BASE = 'https://api.example.com/v1'

type Extras = Partial<Pick<AccessRequest, 'params' | 'data' | 'headers' | 'method' | 'endpoint'>> &
  Partial<
    Pick<
      AccessCase,
      'access' | 'base' | 'authHeader' | 'delegated' | 'context' | 'orStricter' | 'rule'
    >
  >

/**
 * `[id, 'METHOD endpoint', tier, because, more?]`: the method ends at the first space; the endpoint
 * is all that follows.
 */
export type Row = readonly [id: string, ask: string, tier: Tier, because: string, more?: Extras]

interface Common {
  readonly group: string
  readonly rule: RuleNumber
  readonly access: AccessFile
}

/** The cases of a group, which share its rules unless a row brings its own. */
export function table(common: Common, rows: readonly Row[]): readonly AccessCase[] {
  return rows.map(([id, ask, tier, because, more = {}]) => {
    const {
      params,
      data,
      headers,
      method = ask.slice(0, ask.indexOf(' ')),
      endpoint = ask.slice(ask.indexOf(' ') + 1),
      ...rest
    } = more
    const request = {
      method,
      endpoint,
      ...(params !== undefined && { params }),
      ...(data !== undefined && { data }),
      ...(headers !== undefined && { headers }),
    }
    return { base: BASE, ...common, ...rest, id: `${common.group}/${id}`, request, tier, because }
  })
}

/** Rules in short: `{ 'GET /deals': 'confirm' }`. */
export const tiers = (
  endpoints: Readonly<Record<string, 'allow' | 'confirm' | 'review' | 'never'>>,
): AccessFile => ({
  endpoints: Object.fromEntries(
    Object.entries(endpoints).map(([rule, confirm]) => [rule, { confirm }]),
  ),
})

/** What a small sales team lets its agent do: most groups ask under these rules. */
export const SALES: AccessFile = tiers({
  'GET /deals': 'allow',
  'GET /deals/{id}': 'allow',
  'POST /deals': 'confirm',
  'PATCH /deals/{id}': 'confirm',
  'PUT /deals/{id}': 'review',
  'DELETE /deals/{id}': 'never',
  'POST /deals/{id}/notes': 'allow',
  'GET /contacts/{id}': 'confirm',
  'GET /files/{name}': 'allow',
  'PUT /files/{name}': 'allow',
  'GET /reports/**': 'allow',
  '* /admin/**': 'never',
  'GET /payroll': 'review',
})
