import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { tryAsync, type Command, type CommandContext } from '@amodal/sdk'
import { fileFailure } from '@amodal/sdk/files'
import { agentFacts } from '../docker/agent-facts.ts'
import { composeFile } from '../docker/compose.ts'
import type { Deployment, DeploymentFile } from '../docker/deployment.ts'
import { dockerfile, dockerignore } from '../docker/dockerfile.ts'
import { kubernetesFile } from '../docker/kubernetes.ts'
import { FileExists } from '../errors.ts'
import { failed } from './report.ts'

interface Kind {
  readonly files: (deployment: Deployment, isPolicyWanted: boolean) => readonly DeploymentFile[]
  /** What to type next. */
  readonly next: (deployment: Deployment) => string
}

const KINDS: ReadonlyMap<string, Kind> = new Map([
  [
    'build',
    {
      files: (deployment: Deployment) => [
        { path: 'Dockerfile', text: dockerfile(deployment) },
        { path: '.dockerignore', text: dockerignore },
      ],
      next: ({ image }: Deployment) => `docker build --tag ${image} .`,
    },
  ],
  [
    'compose',
    {
      files: (deployment: Deployment) => [{ path: 'compose.yaml', text: composeFile(deployment) }],
      next: () => 'docker compose --env-file .env.production up --build --detach',
    },
  ],
  [
    'k8s',
    {
      files: (deployment: Deployment, isPolicyWanted: boolean) => [
        { path: 'kubernetes.yaml', text: kubernetesFile(deployment, isPolicyWanted) },
      ],
      next: () => 'kubectl apply --filename kubernetes.yaml',
    },
  ],
])

/** Reference of an image, without what a shell or YAML would read otherwise. */
const IMAGE = /^[a-z0-9][a-z0-9._/:@-]*$/

/** `amodal ops docker build|compose|k8s`. */
export const dockerCommand: Command = {
  summary: 'Write the files of an image, of Docker Compose or of Kubernetes',
  usage:
    'amodal ops docker build|compose|k8s [--image REF] [--network-policy] [--output DIR] [--print] [--force]',
  about: [
    '`build` writes a Dockerfile and .dockerignore, `compose` a compose.yaml with PostgreSQL, `k8s` a kubernetes.yaml with servers, workers and a job that migrates.',
    'They are files of yours from then on. Nothing is built or started, and no secret is in them.',
  ],
  examples: [
    ['amodal ops docker build', 'Dockerfile and .dockerignore, in the folder of the agent'],
    ['amodal ops docker compose --print', 'look at it first'],
    ['amodal ops docker k8s --image registry.example.com/shop:7', 'for an image that is pushed'],
  ],
  options: {
    image: { type: 'string', description: 'Reference of the image (NAME:latest)' },
    'network-policy': {
      type: 'boolean',
      description: 'k8s: other pods reach the port of servers and no other',
    },
    output: { type: 'string', short: 'o', description: 'Folder for the files (the agent’s)' },
    print: { type: 'boolean', description: 'Print the files, and write none' },
    force: { type: 'boolean', description: 'Write over files that are there' },
  },
  async run(context) {
    const { options, arguments: words, dir, fail, print } = context
    const [action = '', ...more] = words
    const kind = KINDS.get(action)
    const { image } = options
    if (!kind || more.length > 0) {
      fail(`amodal ops docker: name one of ${[...KINDS.keys()].join(', ')}`)
      return 2
    }
    if (image !== undefined && (typeof image !== 'string' || !IMAGE.test(image))) {
      fail(`--image: "${String(image)}" is no reference of an image`)
      return 2
    }
    const facts = await agentFacts(dir)
    const deployment = { ...facts, image: image ?? `${facts.name}:latest` }
    const files = kind.files(deployment, options['network-policy'] === true)
    if (options['print'] === true) {
      for (const { path, text } of files) print(files.length > 1 ? `# ${path}\n${text}` : text)
      return 0
    }
    const written = await writeAll(files, context)
    if (written === 0) print(`Next: ${kind.next(deployment)}`)
    return written
  },
}

/** All of them, or none where one is there already. */
async function writeAll(
  files: readonly DeploymentFile[],
  { options, dir, fail, print }: CommandContext,
): Promise<number> {
  const { output } = options
  const folder = typeof output === 'string' ? resolve(output) : dir
  const present = files.filter(({ path }) => existsSync(join(folder, path)))
  if (present.length > 0 && options['force'] !== true)
    return failed(
      fail,
      FileExists(`${present.map(({ path }) => join(folder, path)).join(', ')}: there already`),
    )
  for (const { path, text } of files) {
    const file = join(folder, path)
    const written = await tryAsync(
      async () => {
        await mkdir(folder, { recursive: true })
        await writeFile(file, text)
      },
      (cause) => fileFailure(file, file, cause),
    )
    if (!written.ok) return failed(fail, written.error)
    print(file)
  }
  return 0
}
