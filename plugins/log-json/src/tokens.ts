// What other plugins may see of this one.
export { RecentLog, type RecentLine, type RecentLines, type RecentQuery } from './recent-log.ts'
