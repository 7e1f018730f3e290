import type { Command } from 'commander'
import { wrongUsage } from './failure.ts'

/**
 * Refuses options and arguments that are empty: an empty value is usually a variable of a script that was never set. Arguments
 * of which there can be several are left to the command: those of `run` belong to another program.
 * @throws Failure 2
 */
export function refuseEmptyValues(command: Command): void {
  for (const option of command.options) {
    const values = [command.getOptionValue(option.attributeName())].flat()
    if (values.includes('')) throw isEmpty(option.long ?? option.flags)
  }
  for (const [index, argument] of command.registeredArguments.entries())
    if (!argument.variadic && command.args[index] === '') throw isEmpty(argument.name())
}

const isEmpty = (name: string) => wrongUsage(`${name} needs a value, not an empty one.`)
