// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

interface ISettles {
    function settle(address from, uint128 requestNumber, uint64 cents, uint64 timestampMs, bytes calldata signature) external;
}

/// A wallet that is also the relayer and tries to settle during its own signature check; it accepts the signature when that fails.
contract ReenteringWallet is IERC1271 {
    ISettles public settlement;
    bytes public again;

    function prepare(ISettles settlement_, IERC20 token, bytes calldata again_) external {
        settlement = settlement_;
        again = again_;
        token.approve(address(settlement_), type(uint256).max);
    }

    function relay(bytes calldata data) external {
        (bool isDone, bytes memory answer) = address(settlement).call(data);
        if (isDone) return;
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        // In a static call no more than this can be tried.
        (bool isDone, ) = address(settlement).staticcall(again);
        return isDone ? bytes4(0) : IERC1271.isValidSignature.selector;
    }
}
