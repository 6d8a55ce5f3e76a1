// Only what is used of undici: the whole, with its caches, mocks and sockets, takes twice as long
// to load.
export { default as buildConnector } from 'undici/lib/core/connect.js'
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
export { fetch } from 'undici/lib/web/fetch/index.js'
