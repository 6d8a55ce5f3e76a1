import { type RunContext, type ToolList } from '@amodal/sdk';
/**
 * Lists as many tools as a budget holds; the others are found by what they do, and are listed from then on, behind all
 * that was listed before. A list that fits stays as it is.
 *
 * @param budget tokens of all tools that are listed with every call
 */
export declare function toolFinder(budget: number): (list: ToolList, ctx: Pick<RunContext, 'sessionState'>) => ToolList | undefined;
