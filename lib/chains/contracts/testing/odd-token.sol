// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token that misbehaves in one configured way at a time, and that may also be the relayer.
contract OddToken is ERC20 {
    enum Way {
        Honest,
        TakesFee,
        GivesMore,
        MovesNothing,
        SaysFalse,
        PaysAnother,
        Reenters
    }

    Way public way;
    address private _settlement;
    bytes private _again;
    /// Whether the reentrant call succeeded.
    bool public cameThrough;

    constructor() ERC20("Odd", "ODD") {}

    function mint(address to, uint256 units) external {
        _mint(to, units);
    }

    function behave(Way way_, address settlement_, bytes calldata again_) external {
        way = way_;
        _settlement = settlement_;
        _again = again_;
    }

    function relay(bytes calldata data) external {
        (bool isDone, bytes memory answer) = _settlement.call(data);
        if (isDone) return;
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }

    function transferFrom(address from, address to, uint256 units) public override returns (bool) {
        if (way == Way.MovesNothing) return true;
        if (way == Way.SaysFalse) {
            super.transferFrom(from, to, units);
            return false;
        }
        if (way == Way.Reenters) {
            way = Way.Honest;
            (cameThrough, ) = _settlement.call(_again);
        }
        if (way == Way.TakesFee) return super.transferFrom(from, to, units - units / 100);
        if (way == Way.GivesMore) return super.transferFrom(from, to, units + units / 100);
        return super.transferFrom(from, way == Way.PaysAnother ? address(this) : to, units);
    }
}
