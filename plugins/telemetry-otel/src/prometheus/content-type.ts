/** The text format of Prometheus. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
