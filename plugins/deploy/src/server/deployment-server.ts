import {
  Agent,
  failure,
  type BundleSource,
  type Database,
  type Generation,
  type HealthFact,
  type Logger,
  type RouteHandler,
  type SessionBundles,
} from '@amodal/sdk'
import { failed } from '@amodal/plugin-http/tokens'
import type { FolderCheck } from '@amodal/plugin-repo-files/tokens'
import { DeployService } from './deploy-service.ts'
import { DeployedSource, short } from './deployed-source.ts'
import { DeploymentStore } from './deployment-store.ts'
import { Follower } from './follower.ts'
import { HeldSessions } from './held-sessions.ts'
import { deploymentRoutes } from './routes.ts'
import { SnapshotBundles } from './snapshot-bundles.ts'

interface Parts {
  readonly database: Database
  readonly folders: FolderCheck
  /** Where snapshots are unpacked. */
  readonly folder: string
  readonly keep: number
  readonly loaded: number
  readonly pollMs: number
  readonly generation: () => Generation
  readonly log: Logger
}

/** What a server with deployments has. */
export interface DeploymentServer {
  readonly bundles: SessionBundles
  readonly routes: RouteHandler
  readonly follower: Pick<Follower, 'start' | 'close'>
  /** The source of the agent's files, which those of a snapshot come before. */
  readonly source: (inner: BundleSource) => BundleSource
  readonly health: () => HealthFact
}

export function deploymentServer(parts: Parts): DeploymentServer {
  const { database, folders, folder, generation, log, pollMs } = parts
  const agent = (): Agent | undefined => generation().scope.find(Agent)
  const store = new DeploymentStore(database)
  const bundles = new SnapshotBundles({
    store,
    folders,
    folder,
    generation,
    current: () => agent()?.bundle(),
    most: parts.loaded,
  })
  let deployed: DeployedSource | undefined
  const source = (): DeployedSource | undefined => deployed
  const follower = new Follower({ store, source, agent, log, pollMs })
  const service = new DeployService({
    store,
    bundles,
    folders,
    follower,
    source,
    agent,
    folder,
    keep: parts.keep,
  })
  return {
    bundles: new HeldSessions({ bundles, source, log }),
    routes: deploymentRoutes(service),
    follower,
    source: (inner) => (deployed = new DeployedSource(inner, { store, bundles, log })),
    health: () => {
      const { pointer, problem } = deployed ?? {}
      const snapshot = pointer?.snapshot ?? null
      return {
        facts: snapshot === null ? {} : { deployment: short(snapshot) },
        ...(problem !== undefined && { problem }),
      }
    },
  }
}

/** For an agent without a database, whose sessions are held to nothing. */
export const NO_SESSIONS_HELD: SessionBundles = {
  choose: (current) => ({ bundle: current }),
  held: () => [],
}

/** For the same: there is nothing to ask for. */
export const NO_DEPLOYMENTS: RouteHandler = {
  fetch: () => failed(failure('NOT_FOUND', 'without a database there are no deployments')),
}
