/** The frameworks that ours is compared with, and the versions of their packages. */

export const peerNames = ['mastra', 'langgraph', 'openai-agents'] as const
export type PeerName = (typeof peerNames)[number]

/** An npm package, as a dependency of `package.json`. */
export interface PeerPackages {
  readonly [name: string]: string
}

export interface Peer {
  /** Exact versions; the first package is the one whose version the table shows. */
  readonly packages: PeerPackages
  /** What is left of a turn after a restart of the server. */
  readonly persists: string
  /** Whether the server takes a Postgres database. */
  readonly hasDatabase: boolean
}

export const peers: Readonly<Record<PeerName, Peer>> = {
  mastra: {
    packages: {
      '@mastra/core': '1.71.0',
      '@mastra/memory': '1.31.0',
      '@mastra/pg': '1.27.1',
      zod: '4.6.7',
    },
    persists: 'messages in Postgres',
    hasDatabase: true,
  },
  langgraph: {
    packages: {
      '@langchain/langgraph': '1.7.3',
      '@langchain/langgraph-checkpoint-postgres': '1.0.5',
      '@langchain/openai': '1.6.0',
      '@langchain/core': '1.4.0',
      zod: '4.6.7',
    },
    persists: 'checkpoints in Postgres',
    hasDatabase: true,
  },
  'openai-agents': {
    packages: { '@openai/agents': '0.20.0', openai: '7.59.0', zod: '4.6.7' },
    persists: 'nothing: sessions in memory',
    hasDatabase: false,
  },
}

/** The name of a peer with the version of its first package. */
export function titleOf(name: PeerName): string {
  const [version = ''] = Object.values(peers[name].packages)
  return `${name}@${version}`
}
