// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/**
 * Makes many calls in sequence in one `eth_call`, each with its own outcome: a relayer that tries thousands of proofs in a second
 * without changing the state.
 */
contract SettlementHarness {
    struct Call {
        address to;
        bytes data;
    }

    struct Outcome {
        bool isDone;
        bytes answer;
    }

    /// @return timestamp of its block
    /// @return outcomes of the calls, in order
    /// @return balances of `watched` after all of them
    function run(
        Call[] calldata calls,
        IERC20 token,
        address[] calldata watched
    ) external returns (uint256 timestamp, Outcome[] memory outcomes, uint256[] memory balances) {
        outcomes = new Outcome[](calls.length);
        for (uint256 index = 0; index < calls.length; index++) {
            (outcomes[index].isDone, outcomes[index].answer) = calls[index].to.call(calls[index].data);
        }
        balances = new uint256[](watched.length);
        for (uint256 index = 0; index < watched.length; index++) balances[index] = token.balanceOf(watched[index]);
        timestamp = block.timestamp;
    }
}
