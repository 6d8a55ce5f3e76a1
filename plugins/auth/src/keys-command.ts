import {
  err,
  failure,
  ok,
  type Command,
  type CommandContext,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { z } from 'zod'
import { makeKey } from './api-key.ts'
import { keyFacts, type KeyFacts } from './config.ts'
import { VARIABLE } from './configured-keys.ts'
import { ApiKeys, type ApiKey } from './tokens.ts'

const VERBS = ['create', 'list', 'revoke'] as const

/** `amodal ops keys`: makes, lists and revokes API keys. */
export const keysCommand: Command = {
  summary: 'Make, list and revoke API keys',
  usage:
    'amodal ops keys create --name NAME [--roles a,b] [--scopes chat,sessions] [--tenant ID] [--expires 2027-01-31|90d] [--print] | list | revoke ID',
  options: {
    name: { type: 'string', description: 'What the key is called' },
    roles: { type: 'string', description: 'Roles of its holder, separated by commas' },
    scopes: {
      type: 'string',
      description:
        'What it is good for: chat, sessions, stores, inspect, ops, the name of a plugin, or * (chat,sessions)',
    },
    tenant: {
      type: 'string',
      description: 'Whose data; left out: each request says it with scope_id',
    },
    expires: {
      type: 'string',
      description: 'A date, a time, or days from now, such as 90d; left out: never',
    },
    print: { type: 'boolean', description: `Make a key for ${VARIABLE}, and store nothing` },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run(context) {
    const verb = VERBS.find((one) => one === context.arguments[0])
    if (!verb) {
      context.fail(`say what to do: amodal ops keys ${VERBS.join(' | ')}`)
      return 2
    }
    const done = await VERB[verb](context)
    if (done.ok) {
      context.print(
        context.options['json'] === true
          ? JSON.stringify(done.value.data, null, 2)
          : done.value.text,
      )
      return 0
    }
    context.fail(`${done.error.code}: ${done.error.message}`)
    return done.error.code === 'VALIDATION_ERROR' ? 2 : 1
  },
}

type VerbResult = Promise<Result<{ readonly text: string; readonly data: unknown }, Failure>>

const VERB: Readonly<Record<(typeof VERBS)[number], (context: CommandContext) => VerbResult>> = {
  async create(context) {
    const facts = factsOf(context.options)
    if (!facts.ok) return facts
    const { name, roles, scopes, tenant, expires } = facts.value
    if (context.options['print'] === true) return ok(printed(facts.value))
    if (name === undefined)
      return err(failure('VALIDATION_ERROR', '--name: say what the key is called'))
    const keys = await open(context)
    const made = await keys.create(
      {
        name,
        roles,
        scopes,
        ...(tenant !== undefined && { tenant }),
        ...(expires !== undefined && { expiresAt: new Date(expires) }),
      },
      context.signal,
    )
    if (!made.ok) return made
    const { key, text } = made.value
    return ok({
      text: `${text}\n\nThis is the only time it can be seen. ${line(key)}`,
      data: { ...key, key: text },
    })
  },

  async list(context) {
    const keys = await open(context)
    const listed = await keys.list(context.signal)
    return listed.ok
      ? ok({
          text:
            listed.value.length === 0 ? 'There are no keys.' : listed.value.map(line).join('\n'),
          data: listed.value,
        })
      : listed
  },

  async revoke(context) {
    const id = /^(?:amodal_)?([a-z2-7]{12})(?:_|$)/.exec(context.arguments[1] ?? '')?.[1]
    if (id === undefined)
      return err(failure('VALIDATION_ERROR', 'say which key: amodal ops keys revoke ID'))
    const keys = await open(context)
    const revoked = await keys.revoke(id, context.signal)
    if (!revoked.ok) return revoked
    return revoked.value
      ? ok({
          text: `${id} is revoked: servers that run know it within seconds.`,
          data: { id, revoked: true },
        })
      : err(failure('NOT_FOUND', `there is no key ${id}`))
  },
}

/** Starts only the auth plugin and its dependencies: this command serves no messages. */
async function open({ start }: CommandContext): Promise<ApiKeys> {
  return (await start({ only: ['auth'], without: ['http'] })).scope.get(ApiKeys)
}

const text = z.string().optional()
const Options = z.object({ name: text, roles: text, scopes: text, tenant: text, expires: text })

function factsOf(options: CommandContext['options']): Result<KeyFacts, Failure> {
  const { name, roles, scopes, tenant, expires } = Options.parse(options)
  const words = (list: string): readonly string[] =>
    list
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '')
  const days = /^(\d{1,5})d$/.exec(expires ?? '')?.[1]
  const read = keyFacts.safeParse({
    ...(name !== undefined && { name }),
    ...(tenant !== undefined && { tenant }),
    ...(roles !== undefined && { roles: words(roles) }),
    ...(scopes !== undefined && { scopes: words(scopes) }),
    ...(expires !== undefined && {
      expires:
        days === undefined
          ? expires
          : new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
    }),
  })
  return read.success
    ? ok(read.data)
    : err(
        failure(
          'VALIDATION_ERROR',
          read.error.issues
            .map(({ path, message }) => `--${path.map(String).join('.')}: ${message}`)
            .join('; '),
        ),
      )
}

function printed({ name, roles, scopes, tenant, expires }: KeyFacts): {
  readonly text: string
  readonly data: unknown
} {
  const { text: key } = makeKey()
  const fields = [
    ...(name === undefined ? [] : [`name=${name.replaceAll(/[\s,;]+/g, '-')}`]),
    ...(roles.length === 0 ? [] : [`roles=${roles.join('+')}`]),
    `scopes=${scopes.join('+')}`,
    ...(tenant === undefined ? [] : [`tenant=${tenant}`]),
    ...(expires === undefined ? [] : [`expires=${expires}`]),
  ]
  const entry = [key, ...fields].join(';')
  return {
    text: `${key}\n\nNo server knows it yet. For the environment of the server, or its .env:\n${VARIABLE}=${entry}`,
    data: { key, variable: VARIABLE, entry },
  }
}

function line({
  id,
  name,
  roles,
  scopes,
  tenant,
  createdAt,
  expiresAt,
  revokedAt,
}: ApiKey): string {
  const day = (date: Date): string => date.toISOString().slice(0, 10)
  return [
    id,
    name,
    `scopes ${scopes.join(', ') || 'none'}`,
    ...(roles.length > 0 ? [`roles ${roles.join(', ')}`] : []),
    tenant === undefined ? 'any tenant' : `tenant ${tenant}`,
    `made ${day(createdAt)}`,
    ...(expiresAt ? [`expires ${day(expiresAt)}`] : []),
    ...(revokedAt ? [`revoked ${day(revokedAt)}`] : []),
  ].join('  ')
}
