// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

interface ISettled {
    function settledCents(address from, uint128 requestNumber) external view returns (uint64);
}

/**
 * Reads the state that decides about a proof in one `eth_call`, at one block. It is never deployed: the call runs this constructor and
 * returns its output, four words, in place of the code that it would deploy.
 */
contract SettlementReader {
    constructor(address settlement, IERC20 usdc, address from, uint128 requestNumber) {
        bool isDeployed = settlement.code.length > 0;
        uint256 settledCents = isDeployed ? ISettled(settlement).settledCents(from, requestNumber) : 0;
        bytes memory answer = abi.encode(isDeployed, settledCents, usdc.allowance(from, settlement), usdc.balanceOf(from));
        assembly ("memory-safe") {
            return(add(answer, 32), mload(answer))
        }
    }
}
