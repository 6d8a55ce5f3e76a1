import {
  type AccessRule,
  type AccessRules,
  type AccessTier,
  type FieldRestriction,
  isList,
  isObject,
  type Json,
  type RowScope,
  type Threshold,
} from '@amodal/sdk'
import { isAmbiguousName, nameKey } from '@amodal/sdk/connections'
import {
  type Issues,
  type JsonFile,
  type Path,
  pathText,
  refuseUnknown,
  valueAt,
} from '@amodal/sdk/files'
import { isHidden, SPELLINGS, tierOf } from './tier.ts'

/** Reads are allowed, writes ask. */
export const NO_ACCESS: AccessRules = {
  rules: [],
  fallback: { read: 'allow', write: 'confirm' },
  fieldRestrictions: [],
  rowScoping: [],
  delegations: { enabled: true, escalateConfirm: true },
  alternativeLookups: [],
}

export const METHODS = [
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'QUERY',
  'MUTATION',
  'CALL',
  '*',
]
const ANY_FIELD = '*'
const FIELD_PATH = /^[_A-Za-z]\w*(?:\[\])?(?:\.[_A-Za-z]\w*(?:\[\])?)*$/
export const POLICIES = ['never_retrieve', 'retrieve_but_redact', 'role_gated'] as const
export const INTENTS = ['read', 'write', 'confirmed_write'] as const
const RULE_FIELDS = [
  'returns',
  'allow_fields',
  'confirm',
  'policy',
  'intent',
  'reason',
  'thresholds',
  'taint',
  'description',
]

/**
 * Reads `access.json`. A protection that cannot be understood is an error, never one that is left
 * out: the connection is left out then.
 */
export function readAccess(json: JsonFile, issues: Issues): AccessRules | undefined {
  const before = issues.errors
  const reader = new Reader(json, issues)
  reader.known(
    [],
    [
      '$schema',
      'endpoints',
      'default',
      'fieldRestrictions',
      'rowScoping',
      'delegations',
      'alternativeLookups',
      'description',
    ],
  )
  reader.names()
  const access: AccessRules = {
    rules: reader.rules(),
    fallback: reader.fallback(),
    fieldRestrictions: reader.restrictions(),
    rowScoping: reader.scopes(),
    delegations: reader.delegations(),
    alternativeLookups: reader.lookups(),
  }
  return issues.errors > before ? undefined : access
}

/** A name of the file, and where it stands. */
interface Named {
  readonly at: Path
  readonly name: string
}

class Reader {
  readonly #json: JsonFile
  readonly #issues: Issues

  constructor(json: JsonFile, issues: Issues) {
    this.#json = json
    this.#issues = issues
  }

  rules(): readonly AccessRule[] {
    return this.#entries(['endpoints']).flatMap(([name, value]) => {
      const at = ['endpoints', name]
      const target = targetOf(name)
      if (!target) {
        this.#error(
          at,
          `\`${name}\` is no endpoint`,
          'write it as in "GET /deals/{id}", "* /admin/**", "MUTATION createDeal" or "CALL tool_name"',
        )
        return []
      }
      // `"GET /deals": "confirm"` is short for `{ "confirm": "confirm" }`.
      const short = typeof value !== 'object' || value === null
      if (!short && !isObject(value))
        return this.#error(at, `\`${name}\` is a list`, 'write { "confirm": … }')
      if (isObject(value)) this.known(at, RULE_FIELDS)
      const reason = this.#text([...at, 'reason'], short ? undefined : valueAt(value, ['reason']))
      const [where, spelling] = short ? [at, value] : this.#confirmOf(at, value)
      const intent = short ? undefined : this.#intent([...at, 'intent'], valueAt(value, ['intent']))
      return [
        {
          ...target,
          tier: this.#tier(where, spelling, 'allow'),
          ...(isHidden(spelling) && { hidden: true as const }),
          ...(intent && { intent }),
          ...(reason !== undefined && { reason }),
          returns: short ? [] : this.#texts([...at, 'returns']),
          ...this.#allowed(at, short, target.method),
          ...this.#taint(at, short),
          thresholds: short ? [] : this.#thresholds([...at, 'thresholds']),
        },
      ]
    })
  }

  #taint(at: Path, short: boolean): Pick<AccessRule, 'taint'> {
    const here = [...at, 'taint']
    const value = short ? undefined : valueAt(this.#json.value, here)
    if (value === undefined) return {}
    if (value !== 'ignore')
      return (
        this.#error(
          here,
          `\`${pathText(here)}\` cannot be ${JSON.stringify(value)}`,
          'write "ignore", or remove it',
        ),
        {}
      )
    this.#issues.warn(
      'TAINT_IGNORED',
      `\`${at.at(-1) ?? ''}\` also runs without approval when an untrusted text may have caused the call`,
      {
        file: this.#json.file,
        line: this.#json.lineOf(here),
        fix: 'keep it where that does no harm; else remove `taint`',
      },
    )
    return { taint: 'ignore' }
  }

  #allowed(at: Path, short: boolean, method: string): Pick<AccessRule, 'allowFields'> {
    const here = [...at, 'allow_fields']
    if (short || valueAt(this.#json.value, here) === undefined) return {}
    const names = this.#texts(here)
    if (names.length === 0 || names.some((name) => name.trim() === ''))
      this.#error(
        here,
        `\`${pathText(here)}\` names no field`,
        'list the fields that may pass, or ["*"] for whatever is not restricted',
      )
    if (method === 'QUERY' || method === 'MUTATION') this.#selectable(here, names)
    return { allowFields: names }
  }

  /** Fields of a GraphQL response are known by the names of the schema: nothing else finds one. */
  #selectable(at: Path, names: readonly string[]): void {
    for (const [index, name] of names.entries()) {
      if (name === ANY_FIELD && names.length > 1)
        this.#error(
          [...at, index],
          `\`${pathText([...at, index])}\` lets everything through beside names of fields`,
          'write ["*"] alone, or the fields alone',
        )
      else if (name !== ANY_FIELD && name.trim() !== '' && !FIELD_PATH.test(name))
        this.#error(
          [...at, index],
          `\`${name}\` is no path of GraphQL fields`,
          'write names of the schema, such as "name" or "address.city": neither arguments nor aliases',
        )
    }
  }

  /**
   * Names are compared without regard to case and Unicode form: two names that are equal then are
   * ambiguous, and so is a name that mixes alphabets.
   */
  names(): void {
    const restricted = this.#list(['fieldRestrictions']).map((_, index) => {
      const at = ['fieldRestrictions', index]
      return {
        at: [...at, 'field'],
        name: [
          valueAt(this.#json.value, [...at, 'entity']),
          valueAt(this.#json.value, [...at, 'field']),
        ]
          .filter((part) => typeof part === 'string')
          .join('.'),
      }
    })
    const scopes = this.#entries(['rowScoping'])
    const keys = (at: Path, entries: readonly (readonly [string, Json])[]): readonly Named[] =>
      entries.map(([name]) => ({ at: [...at, name], name }))
    const endpoints = this.#entries(['endpoints'])
    this.#distinct(restricted)
    this.#distinct(keys(['rowScoping'], scopes))
    for (const [entity, fields] of scopes)
      if (isObject(fields)) this.#distinct(keys(['rowScoping', entity], Object.entries(fields)))
    // Of two endpoints that are the same the stricter counts, so that nothing is lost.
    for (const [name, rule] of endpoints) {
      if (!isObject(rule)) continue
      for (const part of ['returns', 'allow_fields'])
        this.#readable(['endpoints', name, part], valueAt(rule, [part]))
      const thresholds = valueAt(rule, ['thresholds'])
      if (isList(thresholds))
        thresholds.forEach((one, index) =>
          this.#readable(
            ['endpoints', name, 'thresholds', index, 'field'],
            valueAt(one, ['field']),
          ),
        )
    }
  }

  #distinct(names: readonly Named[]): void {
    const first = new Map<string, string>()
    for (const { at, name } of names) {
      const own = nameKey(name)
      const other = first.get(own)
      if (other !== undefined)
        this.#error(
          at,
          `\`${name}\` and \`${other}\` are the same name`,
          'keep one of them: names are compared without regard to case and Unicode form',
        )
      else first.set(own, name)
      this.#readable(at, name)
    }
  }

  #readable(at: Path, value: Json | undefined): void {
    for (const name of isList(value) ? value : [value]) {
      if (typeof name === 'string' && isAmbiguousName(name))
        this.#error(
          at,
          `\`${name}\` mixes letters of several alphabets that look alike`,
          'write the name in letters of one alphabet',
        )
    }
  }

  /** `confirm`, or its second name `policy`: two that differ would leave one of them unread. */
  #confirmOf(at: Path, value: Json): readonly [Path, Json | undefined] {
    const [confirm, policy] = [valueAt(value, ['confirm']), valueAt(value, ['policy'])]
    if (policy === undefined) return [[...at, 'confirm'], confirm]
    if (confirm !== undefined && tierOf(confirm) !== tierOf(policy))
      this.#error(
        [...at, 'policy'],
        `\`${pathText([...at, 'policy'])}\` and \`confirm\` say two things`,
        'remove one of them',
      )
    return [[...at, 'policy'], policy]
  }

  #intent(at: Path, value: Json | undefined): AccessRule['intent'] {
    if (value === undefined) return undefined
    const intent = INTENTS.find((one) => one === value)
    if (!intent)
      this.#error(
        at,
        `\`${pathText(at)}\` cannot be ${JSON.stringify(value)}`,
        `use one of: ${INTENTS.join(', ')}`,
      )
    return intent
  }

  #thresholds(at: Path): readonly Threshold[] {
    return this.#list(at).map((one, index): Threshold => {
      const here = [...at, index]
      this.known(here, ['field', 'above', 'below', 'equals', 'escalate', 'reason'])
      const field = this.#needed([...here, 'field'])
      if (field !== '' && !/^(body|query|params|path|headers)\b/.test(field))
        this.#error(
          [...here, 'field'],
          `\`${field}\` is no part of a request`,
          'begin with body., query., path. or headers.',
        )
      const [above, below, equals] = [
        this.#number([...here, 'above']),
        this.#number([...here, 'below']),
        valueAt(one, ['equals']),
      ]
      if (above === undefined && below === undefined && equals === undefined)
        this.#error(
          here,
          'this threshold compares with nothing',
          'add `above`, `below` or `equals`',
        )
      if (valueAt(one, ['escalate']) === undefined)
        this.#error(here, '`escalate` is missing', 'say what it becomes, such as "review"')
      return {
        field,
        escalate: this.#tier([...here, 'escalate'], valueAt(one, ['escalate']), 'never'),
        ...(above !== undefined && { above }),
        ...(below !== undefined && { below }),
        ...(equals !== undefined && { equals }),
      }
    })
  }

  fallback(): AccessRules['fallback'] {
    const { fallback } = NO_ACCESS
    const value = valueAt(this.#json.value, ['default'])
    if (value === undefined) return fallback
    if (!isObject(value)) {
      const tier = this.#tier(['default'], value, 'never')
      return { read: tier, write: tier, ...(isHidden(value) && { hidden: ['read', 'write'] }) }
    }
    this.known(['default'], ['read', 'write'])
    const hidden = (['read', 'write'] as const).filter((kind) => isHidden(value[kind]))
    return {
      read: this.#tier(['default', 'read'], value['read'], fallback.read),
      write: this.#tier(['default', 'write'], value['write'], fallback.write),
      ...(hidden.length > 0 && { hidden }),
    }
  }

  restrictions(): readonly FieldRestriction[] {
    return this.#list(['fieldRestrictions']).map((one, index) => {
      const at = ['fieldRestrictions', index]
      this.known(at, [
        'entity',
        'field',
        'policy',
        'sensitivity',
        'reason',
        'allowedRoles',
        'group',
      ])
      const spelling = valueAt(one, ['policy'])
      // Older files say `hidden` for what never comes back.
      const policy =
        spelling === 'hidden' ? 'never_retrieve' : POLICIES.find((name) => name === spelling)
      if (!policy)
        this.#error(
          [...at, 'policy'],
          `\`policy\` ${spelling === undefined ? 'is missing' : `cannot be ${JSON.stringify(spelling)}`}`,
          `use one of: ${POLICIES.join(', ')}, hidden`,
        )
      const reason = this.#text([...at, 'reason'], valueAt(one, ['reason']))
      return {
        entity: this.#needed([...at, 'entity']),
        field: this.#needed([...at, 'field']),
        policy: policy ?? 'never_retrieve',
        sensitivity:
          this.#text([...at, 'sensitivity'], valueAt(one, ['sensitivity'])) ?? 'internal',
        ...(reason !== undefined && { reason }),
        allowedRoles: this.#texts([...at, 'allowedRoles']),
      }
    })
  }

  scopes(): readonly RowScope[] {
    return this.#entries(['rowScoping']).flatMap(([entity]) =>
      this.#entries(['rowScoping', entity]).flatMap(([field, rule]) => {
        const at = ['rowScoping', entity, field]
        const type = valueAt(rule, ['type'])
        if (type === 'all') return [] // everybody may see every row
        if (type !== 'field_match')
          return this.#error(
            [...at, 'type'],
            `\`type\` ${type === undefined ? 'is missing' : `${JSON.stringify(type)} is not supported yet`}`,
            'use "field_match", or "all"',
          )
        this.known(at, ['type', 'userContextField', 'label', 'param'])
        const [label, param] = [
          this.#text([...at, 'label'], valueAt(rule, ['label'])),
          this.#text([...at, 'param'], valueAt(rule, ['param'])),
        ]
        return [
          {
            entity,
            field,
            userContextField: this.#needed([...at, 'userContextField']),
            label: label ?? `your own ${entity}`,
            ...(param !== undefined && { param }),
          },
        ]
      }),
    )
  }

  delegations(): AccessRules['delegations'] {
    const at = ['delegations']
    const value = valueAt(this.#json.value, at)
    if (value === undefined) return NO_ACCESS.delegations
    this.#object(at, value)
    this.known(at, ['enabled', 'maxDurationDays', 'escalateConfirm'])
    const days = this.#number([...at, 'maxDurationDays'])
    return {
      enabled: this.#flag([...at, 'enabled'], true),
      escalateConfirm: this.#flag([...at, 'escalateConfirm'], true),
      ...(days !== undefined && { maxDurationDays: days }),
    }
  }

  lookups(): AccessRules['alternativeLookups'] {
    return this.#list(['alternativeLookups']).map((one, index) => {
      const at = ['alternativeLookups', index]
      this.known(at, ['restrictedField', 'alternativeEndpoint', 'description'])
      return {
        restrictedField: this.#needed([...at, 'restrictedField']),
        alternativeEndpoint: this.#needed([...at, 'alternativeEndpoint']),
        description: this.#text([...at, 'description'], valueAt(one, ['description'])) ?? '',
      }
    })
  }

  /**
   * Nothing but protections stands here: a name that is not known would be one that is missing, if
   * it is no remark.
   */
  known(at: Path, names: readonly string[]): void {
    refuseUnknown(this.#json, at, names, this.#issues)
  }

  #tier(at: Path, value: Json | undefined, otherwise: AccessTier): AccessTier {
    if (value === undefined) return otherwise
    const tier = tierOf(value)
    if (tier === undefined)
      this.#error(
        at,
        `\`${pathText(at)}\` cannot be ${JSON.stringify(value)}`,
        `use one of: ${SPELLINGS}`,
      )
    return tier ?? 'never'
  }

  #entries(at: Path): readonly (readonly [string, Json])[] {
    const value = valueAt(this.#json.value, at)
    return value === undefined || !this.#object(at, value) ? [] : Object.entries(value)
  }

  #object(at: Path, value: Json): value is Readonly<Record<string, Json>> {
    if (isObject(value)) return true
    this.#error(at, `\`${pathText(at)}\` is no object`, 'write { … }')
    return false
  }

  #list(at: Path): readonly Json[] {
    const value = valueAt(this.#json.value, at)
    if (value === undefined) return []
    if (!isList(value)) return this.#error(at, `\`${pathText(at)}\` is no list`, 'write [ … ]')
    return value.filter((one, index) => this.#object([...at, index], one))
  }

  #texts(at: Path): readonly string[] {
    const value = valueAt(this.#json.value, at)
    if (value === undefined) return []
    if (isList(value) && value.every((one) => typeof one === 'string')) return value
    return this.#error(at, `\`${pathText(at)}\` is no list of texts`, 'write ["…"]')
  }

  #needed(at: Path): string {
    const value = valueAt(this.#json.value, at)
    if (typeof value === 'string' && value !== '') return value
    this.#error(
      at,
      `\`${pathText(at)}\` ${value === undefined ? 'is missing' : 'is no text'}`,
      'write a text',
    )
    return ''
  }

  #text(at: Path, value: Json | undefined): string | undefined {
    if (value === undefined || typeof value === 'string') return value
    this.#error(at, `\`${pathText(at)}\` is no text`, 'write a text')
    return undefined
  }

  #number(at: Path): number | undefined {
    const value = valueAt(this.#json.value, at)
    if (value === undefined || typeof value === 'number') return value
    this.#error(at, `\`${pathText(at)}\` is no number`, 'write a number without quotes')
    return undefined
  }

  #flag(at: Path, otherwise: boolean): boolean {
    const value = valueAt(this.#json.value, at)
    if (typeof value === 'boolean') return value
    if (value !== undefined)
      this.#error(at, `\`${pathText(at)}\` is neither true nor false`, 'write true or false')
    return otherwise
  }

  #error(at: Path, message: string, fix: string): [] {
    this.#issues.error('BAD_REPO', message, {
      file: this.#json.file,
      line: this.#json.lineOf(at),
      fix,
    })
    return []
  }
}

/** `POST /deals`, `MUTATION createDeal`, `CALL create_issue`; a bare word is a tool of MCP. */
function targetOf(name: string): Pick<AccessRule, 'method' | 'path'> | undefined {
  const [word = '', ...rest] = name.trim().split(/\s+/)
  const path = rest.join(' ')
  if (path === '') return /^[\w.-]+$/.test(word) ? { method: 'CALL', path: word } : undefined
  const method = word.toUpperCase()
  if (!METHODS.includes(method)) return undefined
  const isField = method === 'QUERY' || method === 'MUTATION' || method === 'CALL'
  return isField || path.startsWith('/') ? { method, path } : undefined
}
