import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { amodal, folder, pluginSource, type Said, type TerminalOptions } from './support.ts'

// Every command of the documented command line runs once, in the order in which a person would:
// what one leaves in the folder, the next one finds.

const PLUGIN = 'amodal-plugin-mine'
const DOCS = join(import.meta.dirname, '../../docs')

let here: Awaited<ReturnType<typeof folder>>
/** A conversation that a command before has begun. */
let session = ''

beforeAll(async () => {
  here = await folder({
    'shop/package.json': { private: true },
    [`shop/node_modules/${PLUGIN}/package.json`]: {
      name: PLUGIN,
      version: '1.0.0',
      type: 'module',
      license: 'MIT',
      exports: './index.js',
    },
    [`shop/node_modules/${PLUGIN}/index.js`]: pluginSource(),
    'parts/package.json': { name: 'shop-parts', version: '1.0.0', keywords: ['amodal-parts'] },
    'parts/knowledge/returns.md': '# Returns\n\nWithin 30 days.\n',
  })
})
afterAll(() => here[Symbol.asyncDispose]())

interface Step {
  /** The command, as its heading in docs/reference/commands.md has it. */
  readonly command: string
  readonly argv: readonly string[]
  readonly code?: number
  /** What stands on stdout, or on stderr where it fails. */
  readonly output: RegExp
  /** For a command that serves: what it prints once it does, when it is stopped. */
  readonly until?: RegExp
  readonly env?: Readonly<Record<string, string>>
  /** Plugins that amodal.json then lists. */
  readonly plugins?: readonly string[]
}

const QUESTION = 'Which repairs are open?'

const steps: readonly Step[] = [
  { command: 'init', argv: ['shop', '--name', 'shop', '--provider', 'auto'], output: /✓ shop: / },
  { command: 'docs', argv: ['evals'], output: /^# Is it good\?/ },
  { command: 'completion', argv: ['bash'], output: /complete -o filenames -F _amodal amodal/ },
  { command: 'add', argv: ['store', 'repairs'], output: /✓ stores\/repairs\.json/ },
  { command: 'add', argv: ['automation', 'digest'], output: /✓ automations\/digest\.json/ },
  { command: 'add', argv: ['eval', 'good'], output: /✓ evals\/good\.yaml/ },
  { command: 'add', argv: ['connection', 'crm'], output: /Put CRM_TOKEN=… into \.env/ },
  { command: 'validate', argv: [], output: /1 connection \(0 errors, 1 warning\)/ },
  { command: 'validate', argv: ['--strict', '--json'], code: 1, output: /"code": "ENV_NOT_SET"/ },
  { command: 'validate', argv: ['--skip-test', '--test-model'], output: /✓ shop/ },
  { command: 'schemas', argv: ['--check'], output: /^$/ },
  { command: 'build-manifest-types', argv: [], output: /✓ amodal\.d\.ts: the types of 1 store/ },
  { command: 'build-manifest-types', argv: ['--check'], output: /up to date/ },
  { command: 'inspect', argv: [], output: /Context Budget Breakdown/ },
  { command: 'inspect', argv: ['--prompt'], output: /shop/ },
  { command: 'test-query', argv: [QUESTION, '--json'], output: /"session_?[iI]d"/ },
  { command: 'chat', argv: [QUESTION], output: /Demo model/ },
  { command: 'chat', argv: [QUESTION, '--resume', 'latest'], output: /Going on with/ },
  { command: 'agents', argv: ['run', QUESTION, '--json'], output: /"status":"complete"/ },
  { command: 'agents', argv: ['list'], output: /complete/ },
  { command: 'trace', argv: ['SESSION'], output: /Which repairs are open/ },
  { command: 'eval', argv: ['--file', 'good.yaml', '--fail-on', 'never'], output: /demo\/words/ },
  { command: 'eval promote', argv: ['SESSION', '--dry-run'], output: /evals\// },
  { command: 'replay', argv: ['SESSION'], output: /SESSION/ },
  { command: 'deploy build', argv: ['--output', 'SNAPSHOT'], output: /shop 0\.1\.0: \d+ files/ },
  { command: 'deploy push', argv: ['SNAPSHOT'], output: /is on the server/ },
  { command: 'deploy list', argv: [], output: /  shop 0\.1\.0  / },
  { command: 'deploy promote', argv: ['000000'], code: 1, output: /DEPLOYMENT_NOT_FOUND/ },
  { command: 'deploy status', argv: [], output: /new sessions: the server's folder/ },
  { command: 'deploy rollback', argv: [], code: 1, output: /NO_EARLIER_DEPLOYMENT/ },
  {
    command: 'deploy upgrade',
    argv: ['SNAPSHOT', '--dry-run'],
    output: /sessions: \d+ the same, .* 0 failed/,
  },
  {
    command: 'deploy serve',
    argv: ['SNAPSHOT', '--port', '0', '--preset', 'dev'],
    until: /Runtime ready/,
    output: /Stopping/,
  },
  { command: 'dev', argv: ['--port', '0'], until: /Runtime ready/, output: /Stopping/ },
  {
    command: 'dev',
    argv: ['--port', '0', '--host', 'localhost', '--resume', 'latest'],
    until: /Runtime ready/,
    output: /Which repairs are open/,
  },
  {
    command: 'start',
    argv: ['--preset', 'dev', '--port', '0'],
    until: /Runtime ready/,
    output: /Stopping/,
  },
  {
    command: 'worker',
    argv: ['--queues', 'automations.run', '--concurrency', '2'],
    until: /Working on/,
    output: /Working on automations\.run \(2\)[^]*Stopping/,
  },
  { command: 'mcp', argv: [], output: /^$/ },
  { command: 'doctor', argv: [], code: 1, output: /✗ connections: crm not set: CRM_TOKEN/ },
  { command: 'doctor', argv: [], env: { CRM_TOKEN: 'x' }, output: /✓ Node / },
  { command: 'ops audit', argv: ['verify'], output: /✓ local: \d+ lines/ },
  { command: 'ops automations', argv: ['list'], output: /digest/ },
  { command: 'ops automations', argv: ['preview', 'digest'], output: /\d{4}-\d\d-\d\d/ },
  { command: 'ops connections', argv: ['login', 'crm'], code: 1, output: /no such MCP server/ },
  { command: 'ops database', argv: [], output: /Nothing is known to be damaged/ },
  { command: 'ops experiment', argv: [], output: /There are no experiments/ },
  { command: 'ops feedback', argv: ['stats'], output: /./ },
  { command: 'ops keys', argv: ['create', '--print', '--name', 'x'], output: /amodal_/ },
  { command: 'ops queue', argv: [], output: /./ },
  { command: 'ops runs', argv: [], output: /Nothing waits for a decision/ },
  { command: 'ops usage', argv: [], output: /demo\/words/ },
  { command: 'ops erase', argv: ['--principal', 'nobody', '--dry-run'], output: /sessions: 0/ },
  { command: 'ops migrate', argv: ['--plan'], output: /No migration is pending/ },
  { command: 'ops migrate', argv: [], output: /No migration is pending/ },
  { command: 'ops backup', argv: ['--output', 'BACKUP'], output: /rows of \d+ tables/ },
  { command: 'ops restore', argv: ['BACKUP', '--replace'], output: /Restored what / },
  { command: 'ops docker', argv: ['k8s', '--print'], output: /kind: Deployment/ },
  { command: 'ops secrets', argv: ['list'], output: /✗ CRM_TOKEN {2}not set/ },
  { command: 'ops secrets', argv: ['check'], code: 1, output: /CRM_TOKEN/ },
  {
    command: 'tool-scaffold new',
    argv: ['check_order', '--language', 'python'],
    output: /\+ check_order\/tool\.json added/,
  },
  {
    command: 'tool-scaffold install',
    argv: ['--tool', 'check_order'],
    output: /= check_order\/amodal_tool_scaffold\/types\.py unchanged/,
  },
  { command: 'auth login', argv: [], code: 2, output: /name the server/ },
  { command: 'auth logout', argv: [], code: 2, output: /name the server/ },
  { command: 'plugins manifest', argv: ['--package', 'PLUGIN', '--write'], output: /./ },
  { command: 'plugins page', argv: ['--package', 'PLUGIN'], output: /# mine/ },
  { command: 'plugins add', argv: [PLUGIN, '--no-install', '--yes'], output: /mine/ },
  { command: 'plugins list', argv: [], output: /^mine +1\.0\.0/m },
  { command: 'plugins why', argv: ['mine'], output: /mine 1\.0\.0/ },
  { command: 'plugins doctor', argv: [], output: /mine/ },
  { command: 'plugins remove', argv: [PLUGIN, '--keep'], output: /./ },
  { command: 'plugins outdated', argv: [], output: /lists no package of npm/ },
  { command: 'pkg install', argv: ['../parts', '--yes'], output: /\+ shop-parts 1\.0\.0/ },
  { command: 'pkg list', argv: [], output: /^shop-parts 1\.0\.0/m },
  { command: 'pkg why', argv: ['knowledge.returns'], output: /comes from shop-parts 1\.0\.0/ },
  { command: 'pkg diff', argv: [], output: /Nothing would change/ },
  { command: 'pkg update', argv: [], output: /All packages are as amodal\.lock has them/ },
  { command: 'pkg link', argv: ['../parts', '--yes'], output: /~ shop-parts/ },
  { command: 'pkg publish', argv: ['../parts', '--dry-run'], output: /knowledge\/returns\.md/ },
  { command: 'pkg search', argv: ['crm', '--offline'], code: 1, output: /PARTS_NOT_FOUND/ },
  { command: 'pkg sync', argv: ['--check'], output: /No connection has a `specUrl`/ },
  { command: 'pkg uninstall', argv: ['shop-parts'], output: /^- shop-parts/m },
  {
    command: 'ops archive',
    argv: ['verify'],
    plugins: ['session-archive'],
    output: /./,
  },
]

const run = async ({ argv, command, env, plugins, until }: Step): Promise<Said> => {
  const isMade = command !== 'init'
  const place = isMade ? join(here.dir, 'shop') : here.dir
  const plugin = join(here.dir, 'shop/node_modules', PLUGIN)
  if (plugins)
    await writeFile(join(place, 'amodal.json'), JSON.stringify({ name: 'shop', plugins }))
  const words = argv.map((word) =>
    word
      .replace('SESSION', session)
      .replace('PLUGIN', plugin)
      .replace('SNAPSHOT', join(here.dir, 'shop.tgz'))
      .replace('BACKUP', join(here.dir, 'shop.backup')),
  )
  const options: TerminalOptions = {
    docs: DOCS,
    env: { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'none', ...env },
    ...(until && {
      onOutput: (text, stop) => {
        if (until.test(text)) stop()
      },
    }),
  }
  return amodal([...command.split(' '), ...words, '--dir', place], options)
}

test.each(steps.map((step) => [`${step.command} ${step.argv.join(' ')}`, step] as const))(
  'amodal %s',
  async (_line, step) => {
    const { code, out, err } = await run(step)
    expect([code, `${out}${err}`]).toEqual([step.code ?? 0, expect.anything()])
    expect(`${out}${err}`).toMatch(
      new RegExp(step.output.source.replace('SESSION', session), step.output.flags),
    )
    session = /"session_id":"(sess_\w+)"/.exec(out)?.[1] ?? session
  },
)

test('no documented command is left out', async () => {
  const page = await readFile(join(DOCS, 'reference/commands.md'), 'utf8')
  const documented = [...page.matchAll(/^## amodal (.+)$/gm)].map(([, name]) => name)
  expect(documented.length).toBeGreaterThan(30)
  expect([...new Set(steps.map(({ command }) => command))].toSorted()).toEqual(
    documented.toSorted(),
  )
})
