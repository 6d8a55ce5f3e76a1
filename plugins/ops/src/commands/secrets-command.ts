import { Secrets, tryAsync, type Command, type CommandContext } from '@amodal/sdk'
import { assignInEnvFile, fileFailure } from '@amodal/sdk/files'
import { join } from 'node:path'
import { readSecret } from '../read-secret.ts'
import { namedSecrets, type NamedSecret } from '../secrets/named-secrets.ts'
import { failed } from './report.ts'

const ACTIONS = ['list', 'check', 'set', 'unset'] as const
type Action = (typeof ACTIONS)[number]

/** `amodal ops secrets [list | check | set NAME | unset NAME]`. */
export const secretsCommand: Command = {
  summary: 'Say which secrets the agent names and which are set; set one',
  usage: 'amodal ops secrets [list | check | set NAME | unset NAME] [--json]',
  about: [
    'Names only: no value is ever printed. A secret is named in a file of the agent as "env:NAME", and set in the environment or in .env of the agent folder.',
    '`set` writes into .env, which its owner alone may read: it asks for the value, or reads it from the standard input.',
    '`check` ends with 1 where one is missing.',
  ],
  examples: [
    ['amodal ops secrets', 'which there are, and where each is set'],
    ['amodal ops secrets set CRM_TOKEN', 'asks for the value'],
    ['amodal ops secrets set CRM_TOKEN < token.txt', 'reads it from a file'],
  ],
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run(context) {
    const [word = 'list', name, ...more] = context.arguments
    const action = ACTIONS.find((one) => one === word)
    const takesName = action === 'set' || action === 'unset'
    if (!action || more.length > 0 || takesName !== (name !== undefined)) {
      context.fail(`amodal ops secrets: ${ACTIONS.join(', ')}; set and unset take one name`)
      return 2
    }
    return name === undefined ? report(action, context) : change(action, name, context)
  },
}

interface SecretState extends NamedSecret {
  /** `undefined` where it is not set. */
  readonly from: 'environment' | '.env' | undefined
}

async function report(
  action: Action,
  { dir, env, options, print, start }: CommandContext,
): Promise<number> {
  const secrets = (await start({ only: ['secrets-env'] })).scope.get(Secrets)
  const states = (await namedSecrets(dir)).map((named): SecretState => ({
    ...named,
    from: sourceOf(named, secrets, env),
  }))
  if (options['json'] === true)
    print(
      JSON.stringify(
        states.map(({ name, where, from }) => ({ name, set: from !== undefined, from, where })),
      ),
    )
  else if (states.length === 0) print('No file of this agent names a secret.')
  else for (const state of states) print(lineOf(state))
  return action === 'check' && states.some(({ from }) => from === undefined) ? 1 : 0
}

function sourceOf(
  { name, where }: NamedSecret,
  secrets: Secrets,
  env: CommandContext['env'],
): SecretState['from'] {
  if (!secrets.resolve(`env:${name}`, where[0] ?? name, 'address').ok) return undefined
  return env[name] === undefined ? '.env' : 'environment'
}

const lineOf = ({ name, where, from }: SecretState): string =>
  `${from === undefined ? '✗' : '✓'} ${name}  ${from ?? 'not set'}  (${where.join(', ')})`

async function change(action: Action, name: string, context: CommandContext): Promise<number> {
  const { dir, env, fail, print } = context
  const value = action === 'set' ? await readSecret(`Value of ${name}`, context) : undefined
  if (action === 'set' && value === undefined) {
    fail('nothing was entered: type the value, or give it on the standard input')
    return 1
  }
  const file = join(dir, '.env')
  const written = await tryAsync(
    async () => assignInEnvFile(dir, name, value),
    (cause) => fileFailure(file, file, cause),
  )
  if (!written.ok) return failed(fail, written.error)
  if (!written.value.ok) {
    fail(`${name}: ${written.value.error}`)
    return 1
  }
  print(`${name} is ${action === 'set' ? 'in' : 'not in'} ${file}`)
  if (env[name] !== undefined) print(`The environment has ${name} too, and that value counts.`)
  return 0
}
