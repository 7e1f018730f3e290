import type { Command } from 'commander'
import { wrongUsage } from './failure.ts'

/**
 * Refuses empty options and arguments: an empty value is usually an unset variable in a script. Variadic arguments are not
 * checked, because those of `run` belong to another program.
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

const isEmpty = (name: string) => wrongUsage(`${name} must not be empty.`)
