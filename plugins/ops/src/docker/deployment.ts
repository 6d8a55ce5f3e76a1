/** What the files of a deployment depend on. */
export interface Deployment {
  /** Of the image, services and objects: a DNS label. */
  readonly name: string
  /** Reference of the image. */
  readonly image: string
  /** Seconds between the signal to stop and the end of the process. */
  readonly graceSeconds: number
}

/** Port of a server in a container. */
export const PORT = 3847

/** Folder of the agent in the image, and the one that servers write to. */
export const AGENT = '/app/agent'
export const DATA = `${AGENT}/.amodal`

/** User `node` of the official image. */
export const USER = 1000

/** File with the variables of a deployment; it is not in the image. */
export const ENV_FILE = '.env.production'

/** The command lines of the three processes, behind `amodal`. */
export const ARGUMENTS = {
  web: ['start', '--preset', 'production', '--dir', 'agent', '--host', '0.0.0.0'],
  worker: ['worker', '--preset', 'production', '--dir', 'agent'],
  migrate: ['ops', 'migrate', '--preset', 'production', '--dir', 'agent'],
} as const

/** A file of a deployment. */
export interface DeploymentFile {
  /** Relative to the agent folder. */
  readonly path: string
  readonly text: string
}

export const list = (items: readonly string[]): string =>
  JSON.stringify(items).replaceAll(',', ', ')
