// What plugins that bring models share: where an endpoint is and what key it gets, a model that is
// loaded when it is first called, and failures that say neither the prompt nor a key.
export * from './adapted-model.ts'
export { IMAGE_TYPES } from '../image.ts'
export * from './body-reader.ts'
export * from './call-error.ts'
export * from './event-stream.ts'
export * from './finish-kind.ts'
export * from './fit-tools.ts'
export * from './keyed-provider.ts'
export * from './reply-end.ts'
export * from './schema-rules.ts'
export * from './whole-body.ts'
