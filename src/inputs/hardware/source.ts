/** Where a sheet's figures come from and when they were read. */
export interface Source {
  what: string;
  url: string;
  /** ISO date. */
  date: string;
}
