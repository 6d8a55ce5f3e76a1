import type { Budget } from './budget.ts';
/** The table that `amodal inspect` prints. */
export declare function budgetTable({ rows, total, available, window }: Budget): string;
