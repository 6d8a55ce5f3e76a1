// What other plugins may see of this one.
export { LineFacts } from './line-facts.ts'
export { RecentLog, type RecentLine, type RecentLines, type RecentQuery } from './recent-log.ts'
