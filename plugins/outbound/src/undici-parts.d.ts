declare module 'undici/lib/web/fetch/index.js' {
  export { fetch } from 'undici'
}

declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici'
}

declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici'
}
