/** Returns the path of a heading of the contract in the documentation: `invoices.md#finalizing` → `/docs/contract-invoices#finalizing`. */
export const contractPath = (rule: string): string => `/docs/contract-${rule.replace('.md', '')}`
